import type { DatabaseRoom } from '../port.ts';
import { ConnectionPool, statement } from './connections.ts';
import { alone } from './migrations.ts';
import { Servers } from './servers.ts';

const PUT = statement(`
  insert into facts (name, value) values ('doctor', $1)
  on conflict (name) do update set value = excluded.value
`);

export async function tryWrite(url: string, value: string): Promise<void> {
  const connections = new ConnectionPool(url);
  try {
    await connections.write(PUT, [value]);
  } finally {
    await connections.close();
  }
}

/** Connections reserved for superusers do not count. */
const ROOM = `
  select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as most
`;

export function connectionRoom(url: string): Promise<DatabaseRoom> {
  return alone(new Servers(url), async (transactions) => {
    const [room] = await transactions.run((query) => query<{ used: number; most: number }>(ROOM));
    return { kind: 'connections', used: room?.used ?? 0, most: room?.most ?? 0 };
  });
}
