import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { commandLine } from '../../packages/server/test/cli/run-innkeeper.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import { byName, summarizeDatabase } from '../../packages/server/test/summarize-database.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace, type TestUser } from '../client.ts';
import { type Database, postgresFor, sqliteIn } from '../databases.ts';
import { type Load, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { rowsOfUser } from '../rows-of-user.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { worst } from '../worst.ts';

const CLIENTS = 8;

type Source = Database & { load: Load };

export const backupRestore: Campaign = {
  name: 'backup-restore',
  title: 'a backup under mixed load, of SQLite and PostgreSQL in turn, restored into the other',
  promise:
    'the restored database has the row hashes of the backup and every user acknowledged before it; no request fails',
  operatorSees: 'the summary of `backup` and `restore`',
  unit: 'backups',
  times: { short: 4, full: 20 },
  async run(context) {
    const postgres = await postgresFor(context);
    const sources = [
      await startSource(context, { kind: 'sqlite', url: sqliteIn(context.folder) }),
      await startSource(context, { kind: 'postgres', url: await postgres.createDatabase() }),
    ];
    const tookMs: number[] = [];
    let acknowledged = 0;
    for (let round = 0; round < context.times; round++) {
      const { kind, url, load } = sources[round % sources.length] as Source;
      await context.attempt(async (lose) => {
        const file = join(context.folder, `${round}.backup`);
        load.resume();
        const before = await settled(load, 300);
        const began = performance.now();
        const summary = await commandLine(url).json('backup', file);
        tookMs.push(performance.now() - began);
        await load.pause();
        const target =
          kind === 'postgres' ? `sqlite:${join(context.folder, `${round}.db`)}` : await postgres.createDatabase();
        await commandLine(target).json('restore', file);
        const found = byName(await summarizeDatabase(target));
        if (!isDeepStrictEqual(found, byName(summary.tables))) lose(`${kind}: the rows are not those of the backup`);
        for (const name of await missing(target, before)) lose(`${kind}: ${name} is not in the backup`);
        for (const finding of load.unexpected.splice(0)) lose(`${kind}: ${finding}`);
        const { unknown, refused } = load.counts();
        if (unknown + refused > 0) lose(`${kind}: ${unknown + refused} requests failed so far`);
      });
    }
    for (const { load } of sources) acknowledged += load.counts().acknowledged;
    context.report(`${acknowledged} acts acknowledged, none failed`);
    context.report(`a backup took ${worst(tookMs)} ms`);
  },
  control: {
    what: "a copy of SQLite's file under load, without its log",
    // SQLite may have moved everything from the log to the file just before a copy.
    times: 4,
    async run(context) {
      const { url, load } = await startSource(context, { kind: 'sqlite', url: sqliteIn(context.folder) });
      for (let copied = 0; copied < context.times; copied++) {
        await context.attempt(async (lose) => {
          load.resume();
          const before = await settled(load, 500);
          const copy = join(context.folder, `copy-${copied}.db`);
          await copyFile(url.slice('sqlite:'.length), copy);
          await load.pause();
          for (const name of await missing(`sqlite:${copy}`, before)) lose(`${name} is not in the copy`);
        });
      }
    },
  },
};

async function startSource(context: CampaignContext, database: Database): Promise<Source> {
  const application = await setStage(database.url);
  const server = await serve({ settings: { ...SETTINGS, databaseUrl: database.url } });
  context.defer(() => end(server));
  const load = startLoad(await openPlace(server.url, application), { clients: CLIENTS });
  context.defer(() => load.close());
  return { ...database, load };
}

/** The users after a while: at least one. */
async function settled(load: Load, ms: number): Promise<TestUser[]> {
  for (;;) {
    await sleep(ms);
    const there = load.clients.flatMap(({ users }) =>
      users.filter(({ exists, code }) => exists === 'yes' && code !== undefined),
    );
    if (there.length > 0) return there;
  }
}

/** Checks users who were not deleted since. */
async function missing(url: string, users: TestUser[]): Promise<string[]> {
  const rows = await rowsOfUser(url);
  try {
    const names: string[] = [];
    for (const { name, code = '', exists } of users) {
      if (exists === 'yes' && (await rows.count(code)) === 0) names.push(name);
    }
    return names;
  } finally {
    await rows.close();
  }
}
