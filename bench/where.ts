import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askPostgres } from '../faults/ask-postgres.ts';
import { type PostgresServer, startPostgres } from '../packages/server/test/postgres-server.ts';
import { type Contestant, compare, type Series } from './compare.ts';
import { httpContestant } from './http-contestant.ts';
import { runLoad } from './load.ts';
import { onStage } from './measure-operation.ts';
import { operations } from './operations.ts';
import { ratioOf } from './results.ts';
import { showSpread, spreadOf } from './spread.ts';
import { credentials, type Stage, setStage } from './stage.ts';

/**
 * `where`, on both databases: the first page of a selective condition, users a second of the stream, and what its index
 * costs a save.
 * npm run bench:where [USERS] [ROUNDS]
 */
const [users = 300_000, rounds = 5] = process.argv.slice(2).map(Number);
const SELECTED = 5;
const SECONDS = 2;
const INDEX = 'selections_by_key';

const operationNamed = (name: string) => {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no operation called ${name}.`);
  return found;
};

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-where-'));
const postgres = await startPostgres({ durable: true });
try {
  for (const kind of ['sqlite', 'postgres']) {
    const create = async (name: string, count: number) => {
      const databaseUrl = await newDatabase(kind, name, postgres);
      return { databaseUrl, stage: await setStage({ databaseUrl, folder, users: count, selected: SELECTED }) };
    };
    const { stage } = await create('many', users);
    await measureReads(kind, stage);
    await stage.stop();
    const [kept, dropped] = [await create('with', 10_000), await create('without', 10_000)];
    await drop(dropped.databaseUrl);
    await measureSaves(kind, kept.stage, dropped.stage);
    await kept.stage.stop();
    await dropped.stage.stop();
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true });
}

async function newDatabase(kind: string, name: string, server: PostgresServer): Promise<string> {
  return kind === 'postgres' ? server.createDatabase() : `sqlite:${join(folder, `${name}.db`)}`;
}

async function drop(databaseUrl: string): Promise<void> {
  const sql = `drop index ${INDEX}`;
  if (databaseUrl.startsWith('postgres')) {
    await askPostgres(databaseUrl, sql);
    return;
  }
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

async function measureReads(kind: string, stage: Stage): Promise<void> {
  const requests = await operationNamed('find-users').prepare(stage, 1);
  for (const connections of [1, 4]) {
    const load = { port: stage.service.port, requests, once: false, seconds: SECONDS, connections };
    await runLoad(load, join(folder, 'requests'));
    const { rate, p50, p99 } = await runLoad(load, join(folder, 'requests'));
    report(kind, `first page, ${connections} at a time`, `p50 ${p50} ms, p99 ${p99} ms, ${Math.round(rate)} a second`);
  }
  const [, key] = stage.keys;
  const most = `?where=${encodeURIComponent(`${key?.uid}=${key?.values[0]}`)}`;
  for (const [what, query] of [
    ['all', ''],
    ['nearly all, by a condition', most],
  ] as const) {
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push(await streamRate(stage, query));
    report(kind, `users a second in the stream: ${what}`, showSpread(spreadOf(rates), 0));
  }
}

async function streamRate(stage: Stage, query: string): Promise<number> {
  const before = performance.now();
  const headers = { ...credentials(stage), accept: 'application/x-ndjson' };
  const response = await fetch(`${stage.service.url}/api/v2/app/${stage.clientId}/users${query}`, { headers });
  if (response.status !== 200 || !response.body) throw new Error(`HTTP ${response.status}`);
  let lines = 0;
  for await (const piece of response.body) for (const byte of piece) if (byte === 0x0a) lines++;
  return (lines * 1000) / (performance.now() - before);
}

async function measureSaves(kind: string, kept: Stage, dropped: Stage): Promise<void> {
  for (const name of ['save', 'save-replace']) {
    const conditions = { rounds, seconds: SECONDS, connections: 64, folder };
    const contestants: Contestant[] = [];
    for (const stage of [kept, dropped]) {
      contestants.push(httpContestant(await onStage(kind, stage, operationNamed(name)), conditions));
    }
    const [one, other] = (await compare(contestants, conditions)) as [Series, Series];
    const cost = ratioOf(one, other, ({ processorUs = Number.NaN }) => processorUs);
    report(
      kind,
      `${name}, with the index / without`,
      `rate ${showSpread(ratioOf(one, other))}, processor ${showSpread(cost)}`,
    );
  }
}

function report(kind: string, what: string, figure: string): void {
  console.log(`${kind.padEnd(10)} ${what.padEnd(56)} ${figure}`);
}
