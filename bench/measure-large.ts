import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../packages/server/test/postgres-server.ts';
import { IN_MILLIONS } from './bars.ts';
import { type Contestant, compare } from './compare.ts';
import { httpContestant } from './http-contestant.ts';
import { onStage } from './measure-operation.ts';
import { operations } from './operations.ts';
import type { Options } from './options.ts';
import { Report } from './report.ts';
import { type Stage, setStage } from './stage.ts';

const SMALL = 10_000;
const SELECTED = 5;

/** Compares a database of millions of users with one of ten thousand, both filled with `users import`, in one run. */
export async function measureLarge(options: Options, folder: string): Promise<void> {
  for (const database of options.databases) {
    const report = new Report(options);
    await measureDatabase(database, report, options, folder);
    await report.finish(`large-${database}`);
  }
}

async function measureDatabase(database: string, report: Report, options: Options, folder: string): Promise<void> {
  const conditions = { ...options, folder };
  const postgres = database === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  const stages = new Map<string, Stage>();
  try {
    for (const [name, users] of [['large', options.users] as const, ['small', SMALL] as const]) {
      const before = performance.now();
      const databaseUrl = await newDatabase(name, folder, postgres);
      stages.set(name, await setStage({ databaseUrl, folder, users, selected: SELECTED }));
      const seconds = ((performance.now() - before) / 1000).toFixed(0);
      console.log(`${users.toLocaleString('en')} users with ${SELECTED} selections each, imported in ${seconds} s`);
    }
    for (const operation of operations) {
      if (!IN_MILLIONS.includes(operation.name) || !options.only.includes(operation.name)) continue;
      const contestants: Contestant[] = [];
      for (const [name, stage] of stages) {
        contestants.push(httpContestant(await onStage(name, stage, operation), conditions));
      }
      const series = await compare(contestants, conditions);
      report.addRow({ operation: `large:${operation.name}`, title: operation.name, series });
    }
  } finally {
    for (const stage of stages.values()) await stage.stop();
    await postgres?.stop();
  }
}

async function newDatabase(name: string, folder: string, postgres: PostgresServer | undefined): Promise<string> {
  return postgres ? postgres.createDatabase() : `sqlite:${join(folder, `${name}.db`)}`;
}
