import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApplicationRecord } from '../../src/storage/port.ts';
import { type BatchMessage, createActs, type OpenCommand, runBatch } from '../../src/storage/sqlite/batch.ts';
import { type Connection, connectToRead, connectToWrite, truncateLog } from '../../src/storage/sqlite/connection.ts';
import { migrate } from '../../src/storage/sqlite/migrations.ts';
import { OpenFile } from '../../src/storage/sqlite/open-file.ts';
import { sqliteScrub } from '../../src/storage/sqlite/scrub.ts';
import { application as exampleApplication, user } from '../contract/examples.ts';
import { scratchFile } from '../scratch-file.ts';

const NAME = 'Canary Featherstone';
const USERS = 200;

type Act = BatchMessage['acts'][number];

/**
 * After the 204 there is no row of the user, shortly afterwards nothing in the log, and after a scrub nothing in the
 * file.
 */
describe('erased data', () => {
  let path: string;
  let connection: Connection;
  beforeEach(() => {
    path = scratchFile('db');
    connection = connectToWrite(path);
    migrate(connection.database);
  });
  afterEach(() => connection.close());

  const holds = (file: string) => readFileSync(file).includes(NAME);
  const logSize = () => statSync(`${path}-wal`).size;

  async function run(acts: Act[]): Promise<void> {
    for (const result of await runBatch(connection, createActs(connection), acts))
      expect(result).toHaveProperty('outcome');
  }

  const createApplication = (application: ApplicationRecord): Act => [
    'performCommonAct',
    [{ store: 'applications', act: 'create', args: [application] }],
  ];

  async function makeUsers(): Promise<{ appId: number; userIds: string[] }> {
    const application = exampleApplication();
    const { appId } = application;
    const users = Array.from({ length: USERS }, () => {
      const userId = randomUUIDv7();
      return user(appId, { userId, clientUserId: `${NAME} ${userId}`, clientUserName: NAME + 'x'.repeat(200) });
    });
    await run([createApplication(application), ...users.map((each): Act => ['createUserWithToken', [each]])]);
    return { appId, userIds: users.map(({ userId }) => userId) };
  }

  const erase = (appId: number, userIds: string[]) =>
    run(userIds.map((userId): Act => ['deleteUser', [appId, userId]]));

  test.each([
    ['all of them', 1],
    ['every other one', 2],
  ])('is in neither file once the log is emptied: %s', async (_, every) => {
    const { appId, userIds } = await makeUsers();
    expect(holds(`${path}-wal`)).toBe(true);
    expect(truncateLog(connection, new OpenFile(path))).toBe(true);
    expect(holds(path)).toBe(true);
    const gone = userIds.filter((_id, at) => at % every === 0);
    await erase(appId, gone);
    expect(truncateLog(connection, new OpenFile(path))).toBe(true);
    expect(logSize()).toBe(0);
    const file = readFileSync(path);
    for (const userId of gone) expect(file.includes(userId)).toBe(false);
    if (every === 1) expect(holds(path)).toBe(false);
  });

  test('is not in unused parts of pages after a scrub, which readers and the file survive', async () => {
    const application = exampleApplication();
    const { appId } = application;
    await run([createApplication(application)]);
    const makePerson = () => {
      const text = `${NAME} ${randomBytes(12).toString('hex')}`;
      return {
        userId: randomUUIDv7(),
        text,
        value: JSON.stringify(text.padEnd(40 + Math.random() * 200, ' and so on')),
      };
    };
    type Person = ReturnType<typeof makePerson>;
    const save = ({ userId, value }: Person): Act => {
      const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value, language: null };
      return ['saveSelections', [appId, userId, [selection], { at: 0, authMethod: 'user_uid' }]];
    };
    const [gone, left]: [Person[], Person[]] = [[], []];
    const found = () => {
      const file = readFileSync(path);
      return gone.filter(({ text }) => file.includes(text)).length;
    };
    // Two or three users of a crowd leave remains in the file; one crowd in twenty leaves none, so try another.
    for (let crowds = 0; found() === 0 && crowds < 20; crowds++) {
      const people = Array.from({ length: 1_500 }, makePerson);
      await run(people.map(({ userId }): Act => ['createUserWithToken', [user(appId, { userId })]]));
      await run(people.map(save));
      const leaving = people.filter((_person, at) => at % 2 === 0);
      await erase(
        appId,
        leaving.map(({ userId }) => userId),
      );
      gone.push(...leaving);
      left.push(...people.filter((_person, at) => at % 2 === 1));
      expect(truncateLog(connection, new OpenFile(path))).toBe(true);
    }
    expect(found(), 'known to be able to find one').toBeGreaterThan(0);
    const reader = connectToRead(path);
    const count = () => reader.statement('select count(*) as n, sum(length(value)) as length from selections').get();
    const before = count();
    const scrubbed = await sqliteScrub(path)({ now: 1 });
    expect(scrubbed).toMatchObject({ outcome: 'scrubbed', logEmptied: true, bytesAfter: statSync(path).size });
    expect(logSize()).toBe(0);
    expect(found()).toBe(0);
    expect(count()).toEqual(before);
    reader.close();

    // The writer's page cache does not write it again either.
    await run(left.map(save));
    expect(truncateLog(connection, new OpenFile(path))).toBe(true);
    expect(found()).toBe(0);
    expect(connection.statement('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  test('leaves the log automatically, also if another process erased it, once no reader needs it', async () => {
    const open: OpenCommand = { path, truncateMs: 20 };
    const worker = new Worker(new URL('../../src/storage/sqlite/writer-thread.ts', import.meta.url));
    const reader = connectToRead(path);
    try {
      worker.postMessage(open);
      await once(worker, 'message');
      reader.database.exec('begin');
      reader.statement('select count(*) from users').get();
      const { appId, userIds } = await makeUsers();
      await erase(appId, userIds);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(holds(`${path}-wal`)).toBe(true);
      reader.database.exec('rollback');
      await vi.waitFor(() => expect(logSize()).toBe(0), { timeout: 30_000 });
      expect(holds(path)).toBe(false);
    } finally {
      reader.close();
      worker.postMessage('close');
      await once(worker, 'exit');
    }
  });

  test('a log that a reader needs is left unchanged, and nothing waits', async () => {
    const reader = connectToRead(path);
    reader.database.exec('begin');
    reader.statement('select count(*) from users').get();
    await makeUsers();
    const started = performance.now();
    expect(truncateLog(connection, new OpenFile(path))).toBe(false);
    expect(performance.now() - started).toBeLessThan(4_000);
    reader.database.exec('rollback');
    reader.close();
    expect(truncateLog(connection, new OpenFile(path))).toBe(true);
    expect(connection.statement('pragma busy_timeout').get()).toEqual({ timeout: 5000 });
  });
});
