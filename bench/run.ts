import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../packages/server/test/postgres-server.ts';
import { verdictRows } from './bars.ts';
import { measureImport } from './figures/import.ts';
import { measureLargeCatalog } from './figures/large-catalog.ts';
import { measureMixedLoad } from './figures/mixed-load.ts';
import { measureStart } from './figures/start.ts';
import { generator } from './load.ts';
import { measureOperation } from './measure-operation.ts';
import { operations } from './operations.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { gatherOthers, type Others } from './others.ts';
import { drawPlot } from './plot.ts';
import { profile } from './profile.ts';
import type { Figure, Results } from './results.ts';
import { slowDownFlushes } from './slow-down-flushes.ts';
import { showSpread, spreadOf } from './spread.ts';
import { type Stage, setStage } from './stage.ts';
import { HEAD, layOut, tableRows } from './table.ts';
import { writeDocs } from './write-docs.ts';

/** npm run bench: the service, its limits and its peers in one run. docs/performance.md tells how to read it. */
const options = readOptions(process.argv.slice(2));
if (options.help) console.log(USAGE);
else await inFolder((folder) => (options.profile ? profileOne(folder) : measureAll(folder)));

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(options.folder, 'innkeeper-bench-'));
  try {
    if (options.flushMs > 0) await slowDownFlushes(folder, options.flushMs);
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function profileOne(folder: string): Promise<void> {
  const operation = operations.find(({ name }) => options.only.includes(name));
  if (!operation) throw new Error(`Only operations can be profiled.\n\n${USAGE}`);
  const { users, seconds, connections, results } = options;
  const postgres = options.databases[0] === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  try {
    const databaseUrl = await newDatabase(folder, postgres);
    await profile({ operation, stage: { databaseUrl, folder, users }, seconds: seconds * 2, connections, results });
  } finally {
    await postgres?.stop();
  }
}

async function measureAll(folder: string): Promise<void> {
  const results: Results = {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    machine: `${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.version}, load by ${generator}, load average before ${loadavg()[0]?.toFixed(1)}`,
    conditions: (({ rounds, seconds, connections, users, flushMs }) => ({
      rounds,
      seconds,
      connections,
      users,
      flushMs,
    }))(options),
    rows: [],
    figures: [],
    isWhole: options.isWhole,
    left: [],
  };
  console.log(`${results.date}, ${results.machine}\n\n${layOut(HEAD)}`);
  const postgres = options.databases.includes('postgres') ? await startPostgres({ durable: true }) : undefined;
  const stages = new Map<string, Stage>();
  let others: Others | undefined;
  try {
    const databases = new Map<string, string>();
    for (const kind of options.databases) {
      const databaseUrl = await newDatabase(folder, kind === 'postgres' ? postgres : undefined);
      databases.set(kind, databaseUrl);
      stages.set(kind, await setStage({ databaseUrl, folder, users: options.users }));
    }
    others = await gatherOthers({
      databases,
      newPostgres: postgres && (() => postgres.createDatabase()),
      withPeers: options.peers,
      conditions: { ...options, folder },
      left: results.left,
    });
    await measureOperations(stages, others, { ...options, folder }, results);
    await measureFigures(stages, { ...options, folder }, results);
  } finally {
    await others?.stop();
    for (const stage of stages.values()) await stage.stop();
    await postgres?.stop();
  }
  for (const what of results.left) console.log(`left out: ${what}`);
  console.log(
    `\n${verdictRows(results)
      .map((row) => row.map((cell, index) => cell.padEnd([36, 34, 11, 11][index] ?? 0)).join(' '))
      .join('\n')}`,
  );
  await mkdir(options.results, { recursive: true });
  await writeFile(join(options.results, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(join(options.results, 'latest.svg'), drawPlot(results));
  if (options.writeDocs) await writeDocs(results);
}

async function measureOperations(
  stages: Map<string, Stage>,
  others: Others,
  conditions: Options,
  results: Results,
): Promise<void> {
  for (const operation of operations.filter(({ name }) => options.only.includes(name))) {
    const row = await measureOperation(operation, stages, others, conditions);
    results.rows.push(row);
    console.log(tableRows(row).map(layOut).join('\n'));
  }
}

async function measureFigures(stages: Map<string, Stage>, conditions: Options, results: Results): Promise<void> {
  const { folder, rounds, quick } = conditions;
  const [stage] = stages.values();
  const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'start.db')}` };
  const ways: Record<string, () => Promise<Figure[]>> = {
    start: () => measureStart(settings, rounds),
    'mixed-load': async () => (stage ? measureMixedLoad(stage, conditions) : []),
    import: () => measureImport(folder, quick ? 20_000 : 100_000, Math.min(rounds, 3)),
    'large-catalog': () => measureLargeCatalog(folder),
  };
  for (const [name, measure] of Object.entries(ways)) {
    if (!options.only.includes(name)) continue;
    const figures = await measure();
    results.figures.push(...figures);
    for (const { title, unit, values } of figures)
      console.log(`${title.padEnd(60)} ${showSpread(spreadOf(values), 1)} ${unit}`);
  }
}

async function newDatabase(folder: string, postgres: PostgresServer | undefined): Promise<string> {
  return postgres ? postgres.createDatabase() : `sqlite:${join(folder, 'innkeeper.db')}`;
}
