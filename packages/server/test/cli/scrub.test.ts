import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres, sqlite } from '../databases.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { DAMAGE, emptyLog, makeFreePages } from '../sqlite/damage-file.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

describe('innkeeper scrub', () => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    url = await sqlite.fresh();
    server = await startTestServer(url);
  });
  afterAll(() => server.close());

  test('rewrites the file beside a running service', async () => {
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    const scrubbed = await commandLine(url, inThread).json('scrub');
    expect(scrubbed).toEqual({
      bytesBefore: expect.any(Number),
      bytesAfter: expect.any(Number),
      logEmptied: true,
      seconds: expect.any(Number),
    });
    const headers = { apiKey: application.clientId, authorization: `Bearer ${user.accessToken}` };
    expect((await server.send('GET', '/api/user_options', { headers })).status).toBe(200);
    await makeSignedInUser(server, application);
    const reported = await commandLine(url, inThread).run('scrub');
    expect(reported).toMatchObject({ code: 0, stderr: '' });
    expect(reported.stdout).toMatch(/rewritten in .* s, .* before, .* now\.\nNo deleted data is left/);
  });

  test('names a damaged file and how to restore it', async () => {
    const damaged = await sqlite.fresh();
    const path = damaged.slice('sqlite:'.length);
    const cli = commandLine(damaged, inThread);
    await cli.json('app', 'create', '--name', 'One');
    makeFreePages(path);
    emptyLog(path);
    DAMAGE['zeroed page'](path);
    expect(await cli.run('scrub')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/file .* is damaged: .*malformed.*\n.*innkeeper restore BACKUP_FILE/),
    });
  });

  test('says what it needs, and that PostgreSQL does not need it', async () => {
    const missing = await inThread(['scrub', '--database-url', `sqlite:${scratchFile('db')}`]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no database at') });
    const elsewhere = await commandLine(await postgres.fresh(), inThread).run('scrub');
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/PostgreSQL needs no scrub.*\n.*VACUUM/),
    });
    const help = (await inThread(['scrub', '--help'])).stdout.replace(/\s+/g, ' ');
    for (const said of ['reads continue', '503 with Retry-After', 'twice the file size', 'INNKEEPER_SCRUB=7d']) {
      expect(help).toContain(said);
    }
    const wrong = await inThread(['serve', '--scrub', '7']);
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('INNKEEPER_SCRUB is "7": it must be off or'),
    });
  });
});
