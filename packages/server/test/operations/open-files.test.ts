import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { bin, environment } from '../cli/run-innkeeper.ts';
import { scratchFile } from '../scratch-file.ts';
import { endAll, serve } from './serve-process.ts';

afterEach(endAll);

test('a low limit of open files is reported at startup, with the required number, and by doctor', async () => {
  const settings = { databaseUrl: `sqlite:${scratchFile('db')}` };
  const server = await serve({ settings, openFiles: 64 });
  await vi.waitFor(() => {
    const message = expect.stringMatching(/only 64 files and connections .* at least 1024/);
    expect(server.logs()).toContainEqual(expect.objectContaining({ level: 'warn', msg: message }));
  });
  const doctor = async (limit: number) => {
    const flags = ['--json', '--port', '0', '--database-url', settings.databaseUrl];
    const command = ['-c', `ulimit -n ${limit}; exec "$@"`, 'bash', process.execPath, bin, 'doctor', ...flags];
    const { stdout } = await promisify(execFile)('bash', command, { env: environment() });
    return (JSON.parse(stdout) as { check: string }[]).filter(({ check }) => check === 'environment');
  };
  expect(await doctor(64)).toEqual([
    {
      check: 'environment',
      ok: true,
      detail: expect.stringContaining('only 64 files and connections open at once'),
      remedy: expect.stringMatching(/at least 1024.*LimitNOFILE/),
    },
  ]);
  expect(await doctor(1024)).toEqual([]);
});
