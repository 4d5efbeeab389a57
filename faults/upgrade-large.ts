// node scripts/on-pinned-node.js faults/upgrade-large.ts [COMMIT] [USERS]
//
// Imports users into PostgreSQL with an earlier version, then runs today's `innkeeper migrate` while that version keeps
// serving saves. Prints how long it took and what the clients noticed.

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCatalog } from '../bench/catalog.ts';
import { commandLine, runInnkeeper } from '../packages/server/test/cli/run-innkeeper.ts';
import { freePort } from '../packages/server/test/free-port.ts';
import { serve } from '../packages/server/test/operations/serve-process.ts';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { askPostgres } from './ask-postgres.ts';
import { Client, isDone, openPlace, type TestUser } from './client.ts';
import { versionAt } from './earlier-version.ts';
import { SETTINGS } from './stage.ts';

/** The last commit with the schema of the first edition. */
const FIRST_EDITION = '1bb1c5cb';
const SAVERS = 4;
/** Requests before, and after, the migration. */
const AROUND_MS = 3_000;
const PATIENCE_MS = 600_000;

const [commit = FIRST_EDITION, count = '1000000'] = process.argv.slice(2);
const users = Number(count);
const undos: (() => unknown)[] = [];
try {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-upgrade-'));
  undos.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ durable: true, settings: ['max_wal_size=4GB'] });
  undos.push(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('innkeeper');
  const earlier = await versionAt(commit, folder);
  const application = await earlier.setStage(databaseUrl);
  const [{ known }] = (await askPostgres(
    databaseUrl,
    'select max(number)::integer as known from schema_migrations',
  )) as [{ known: number }];
  const file = join(folder, 'users.ndjson');
  await pipeline(Readable.from(lines(users)), createWriteStream(file));
  const began = performance.now();
  await earlier.run(databaseUrl, 'users', 'import', file, '--app', application.clientId);
  say(`${users} users imported by ${commit} with schema ${known} in ${seconds(began)} s`);

  const settings = { ...SETTINGS, databaseUrl, port: String(await freePort()) };
  const old = await serve({ script: earlier.bin, settings });
  undos.push(async () => {
    old.signal('SIGKILL');
    await old.exited;
  });
  const place = await openPlace(old.url, application);
  let going = true;
  const took: number[] = [];
  const failed: string[] = [];
  const saving = Array.from({ length: SAVERS }, async () => {
    const client = new Client(place, PATIENCE_MS);
    const user: TestUser = await client.create();
    await client.exchange(user);
    for (let nth = 0; going; nth++) {
      const sentAt = performance.now();
      const outcome = await client.save(user, nth % 20);
      took.push(performance.now() - sentAt);
      if (!isDone(outcome)) failed.push(JSON.stringify(outcome).slice(0, 120));
    }
    client.close();
  });
  await sleep(AROUND_MS);
  const before = took.length;
  const migratedAt = performance.now();
  const { code, stderr } = await runInnkeeper(['migrate'], {
    INNKEEPER_DATABASE_URL: databaseUrl,
    INNKEEPER_SECRET: SETTINGS.secret,
  });
  const ms = performance.now() - migratedAt;
  if (code !== 0) throw new Error(stderr);
  await sleep(AROUND_MS);
  going = false;
  await Promise.all(saving);
  say(`migrated in ${(ms / 1000).toFixed(1)} s`);
  say(`saves by the earlier version meanwhile: ${took.length - before}, longest ${Math.round(Math.max(...took))} ms`);
  say(`failed: ${failed.length}${failed.length > 0 ? `, such as ${failed[0]}` : ''}`);
  const [longest] = await askPostgres(
    databaseUrl,
    `select number, ms::integer from (
       select applied_at - lag(applied_at) over (order by number) as ms, number from schema_migrations
     ) each where number > ${known + 1} order by ms desc limit 1`,
  );
  say(`longest migration: ${JSON.stringify(longest)}`);
  const { users: found } = await commandLine(databaseUrl).json('app', 'show', application.clientId);
  say(`users afterwards: ${found}`);
} finally {
  for (const undo of undos.toReversed()) await undo();
}

function* lines(count: number): Generator<string> {
  const { name, keys } = makeCatalog().groups[0] as { name: string; keys: { name: string; type: string }[] };
  const options = keys
    .filter(({ type }) => type === 'boolean')
    .slice(0, 2)
    .map((key) => ({ group: name, key: key.name, value: [true] }));
  for (let nth = 0; nth < count; nth++) {
    const user = { clientUserId: `user-${nth}@example.com`, clientUserName: `User ${nth}`, options };
    yield `${JSON.stringify(user)}\n`;
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
