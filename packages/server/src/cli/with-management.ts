import { type Remote, readRemote } from '../config.ts';
import type { CommandOptions } from './command.ts';
import type { Management } from './management.ts';

/** For the service at INNKEEPER_URL, or the database; `makesDatabase` is as in `withStorage`. */
export async function withManagement<T>(
  options: CommandOptions,
  use: (management: Management) => Promise<T>,
  { makesDatabase = false }: { makesDatabase?: boolean } = {},
): Promise<T> {
  const remote: Remote | undefined = readRemote(options);
  if (remote) return use((await import('./remote-management.ts')).remoteManagement(remote));
  const [{ withStorage }, { localManagement }] = await Promise.all([
    import('./with-storage.ts'),
    import('./local-management.ts'),
  ]);
  return withStorage(options, (open) => use(localManagement(open)), { makesDatabase });
}
