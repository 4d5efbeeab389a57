import { join } from 'node:path';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { measureApplications } from './figures/applications.ts';
import { measureEvents } from './figures/events.ts';
import { measureForms } from './figures/forms.ts';
import { measureImport } from './figures/import.ts';
import { measureLargeCatalog } from './figures/large-catalog.ts';
import { measureMixedLoad } from './figures/mixed-load.ts';
import { measureStart } from './figures/start.ts';
import { measureOperation } from './measure-operation.ts';
import { operations } from './operations.ts';
import type { Options } from './options.ts';
import { gatherOthers, type Others } from './others.ts';
import { Report } from './report.ts';
import { type Figure, otherOf } from './results.ts';
import { type Stage, setStage } from './stage.ts';

/** Every requested operation, on every database, against limits and peers; then the figures that are not rates. */
export async function measureAll(options: Options, folder: string): Promise<void> {
  const report = new Report(options);
  const conditions = { ...options, folder };
  const postgres = options.databases.includes('postgres') ? await startPostgres({ durable: true }) : undefined;
  const newDatabase = async (kind: string, name: string): Promise<string> =>
    kind === 'postgres' && postgres ? postgres.createDatabase() : `sqlite:${join(folder, `${name}.db`)}`;
  const stages = new Map<string, Stage>();
  let others: Others | undefined;
  try {
    const databases = new Map<string, string>();
    for (const kind of options.databases) {
      for (const checkout of options.against === undefined ? [undefined] : [undefined, options.against]) {
        const name = checkout === undefined ? kind : otherOf(kind);
        const databaseUrl = await newDatabase(kind, name);
        databases.set(name, databaseUrl);
        stages.set(name, await setStage({ databaseUrl, folder, users: options.users, checkout }));
      }
    }
    const wanted = operations.filter(({ name }) => options.only.includes(name));
    others = await gatherOthers({
      ...{ databases, conditions, left: report.results.left },
      newPostgres: postgres && (() => postgres.createDatabase()),
      withPeers: options.peers && wanted.length > 0,
    });
    for (const operation of wanted) report.addRow(await measureOperation(operation, stages, others, conditions));
    await others.stop();
    for (const [name, measure] of figures(stages, options, folder, newDatabase)) {
      if (options.only.includes(name)) report.addFigures(await measure());
    }
  } finally {
    await others?.stop();
    for (const stage of stages.values()) await stage.stop();
    await postgres?.stop();
  }
  await report.finish('latest');
}

function figures(
  stages: Map<string, Stage>,
  options: Options,
  folder: string,
  newDatabase: (kind: string, name: string) => Promise<string>,
): [string, () => Promise<Figure[]>][] {
  const [stage] = stages.values();
  const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'start.db')}` };
  return [
    ['start', () => measureStart(settings, options.rounds)],
    ['forms', () => measureForms(options.rounds)],
    ['mixed-load', async () => (stage ? measureMixedLoad(stage, { ...options, folder }) : [])],
    [
      'events',
      async () => {
        const measured: Figure[] = [];
        for (const kind of options.databases)
          measured.push(...(await measureEvents(kind, (name) => newDatabase(kind, name), { ...options, folder })));
        return measured;
      },
    ],
    ['import', () => measureImport(folder, options.quick ? 20_000 : 100_000, Math.min(options.rounds, 3))],
    ['large-catalog', () => measureLargeCatalog(folder)],
    ['applications', () => measureApplications(folder)],
  ];
}
