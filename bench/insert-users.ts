import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto';
import { createActs } from '../packages/server/src/storage/sqlite/acts.ts';
import { connectToWrite } from '../packages/server/src/storage/sqlite/connection.ts';
import { migrate } from '../packages/server/src/storage/sqlite/migrations.ts';
import { runBatch } from '../packages/server/src/storage/sqlite/run-batch.ts';
import { userOf } from './create-users.ts';

/**
 * The limit to compare with, as a process of its own: the service's own act on the service's own connection (WAL,
 * synchronous=FULL), in a tight loop with nothing around it, `perTransaction` users to a transaction and its flush.
 * Prints one line of JSON.
 */
export type Inserts = { path: string; users: number; perTransaction: number; prefix: string };
export type InsertResult = { seconds: number; stored: number };

if (import.meta.main) {
  const inserts = JSON.parse(process.argv[2] as string) as Inserts;
  process.stdout.write(`${JSON.stringify(insertUsers(inserts))}\n`);
}

export function insertUsers({ path, users, perTransaction, prefix }: Inserts): InsertResult {
  const connection = connectToWrite(path);
  migrate(connection.database);
  const acts = createActs(connection);
  const appId = 100_000_000;
  const now = Date.now();
  const application = { appId, clientId: '100000000_bench', name: 'Bench', settings: {}, createdAt: now, secrets: [] };
  runBatch(connection, acts, [['createApplication', [application]]]);
  const before = countUsers();

  const rows = Array.from({ length: users }, (_, index) => ({
    userId: randomUUIDv7(),
    appId,
    ...userOf(prefix, index),
    createdAt: now,
    specialToken: { tokenHash: createHash('sha256').update(randomBytes(32)).digest('hex'), expiresAt: now + 600_000 },
  }));
  const startedAt = performance.now();
  for (let at = 0; at < rows.length; at += perTransaction) {
    const batch = rows.slice(at, at + perTransaction);
    for (const result of runBatch(
      connection,
      acts,
      batch.map((row) => ['createUserWithToken', [row]]),
    )) {
      if (!('outcome' in result) || result.outcome !== 'created') throw new Error(JSON.stringify(result));
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const stored = countUsers() - before;
  connection.close();
  return { seconds, stored };

  function countUsers(): number {
    return connection.statement('select count(*) as n from users').get()?.n as number;
  }
}
