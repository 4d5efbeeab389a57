import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { SECRET } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { endAll, makeApplication, serve } from './serve-process.ts';

const DAY = 86_400_000;
afterEach(endAll);

test('a clock three days ahead is one line in the log', async () => {
  const path = scratchFile('db');
  await makeApplication(`sqlite:${path}`);
  const database = new DatabaseSync(path);
  const mark = JSON.stringify({ at: Date.now() - 3 * DAY, doubtMs: 0, waitMs: 0 });
  database.prepare("insert into facts (name, value) values ('clock-mark', ?)").run(mark);
  database.close();
  const server = await serve({ settings: { databaseUrl: `sqlite:${path}`, secret: SECRET } });
  const about = () => server.logs().filter(({ msg }) => String(msg).startsWith('The clock is 3 days ahead'));
  await vi.waitFor(() => expect(about()).toMatchObject([{ level: 'warn', problem: 'clock' }]), { timeout: 10_000 });
  server.signal('SIGTERM');
  await server.exited;
  expect(about()).toHaveLength(1);
});
