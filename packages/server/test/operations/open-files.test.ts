import { afterEach, expect, test, vi } from 'vitest';
import { scratchFile } from '../scratch-file.ts';
import { endAll, serve } from './serve-process.ts';

afterEach(endAll);

test('too few files that can be open: said at the start, with the number wanted', async () => {
  const settings = { databaseUrl: `sqlite:${scratchFile('db')}` };
  const server = await serve({ settings, openFiles: 64 });
  await vi.waitFor(() => {
    const message = expect.stringMatching(/only 64 files and connections .* at least 1024/);
    expect(server.logs()).toContainEqual(expect.objectContaining({ level: 'warn', msg: message }));
  });
});
