import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createActs } from '../../src/storage/sqlite/acts.ts';
import { type Connection, connectToWrite } from '../../src/storage/sqlite/connection.ts';
import { migrate } from '../../src/storage/sqlite/migrations.ts';
import { runBatch } from '../../src/storage/sqlite/run-batch.ts';

describe('a database that cannot grow', () => {
  let connection: Connection;
  beforeAll(() => {
    connection = connectToWrite(join(inject('scratchFolder'), `${randomBytes(8).toString('hex')}.db`));
    migrate(connection.database);
    const { page_count: pages } = connection.statement('pragma page_count').get() as { page_count: number };
    connection.database.exec(`pragma max_page_count = ${pages}`);
  });
  afterAll(() => connection.close());

  test('is unavailable in a few words, and a defect keeps its stack', () => {
    const acts = createActs(connection);
    const [full] = runBatch(connection, acts, [['settleFact', ['large', 'x'.repeat(1_000_000)]]]);
    expect(full).toEqual({ failed: 'unavailable', message: 'database or disk is full' });
    const [defect] = runBatch(connection, acts, [['settleFact', [{} as string, 'x']]]);
    expect(defect).toMatchObject({ failed: 'defect', message: expect.stringContaining('\n    at ') });
    expect(runBatch(connection, acts, [['settleFact', ['small', 'x']]])).toEqual([{ outcome: 'x' }]);
  });
});
