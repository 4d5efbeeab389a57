import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { generator } from './load.ts';
import { measureOperation, type Row } from './measure-operation.ts';
import { operations } from './operations.ts';
import { type Stage, setStage } from './stage.ts';
import { showTable } from './table.ts';

/** npm run bench: the service against its limits, in one run. docs/performance.md tells how to read it. */
const USAGE = `npm run bench -- [options]

  --only NAME,NAME      these operations alone: ${operations.map(({ name }) => name).join(', ')}
  --rounds N            how often each is measured (5)
  --seconds N           how long each time (2)
  --connections N       keep-alive connections (64)
  --users N             users in the database (10000)
  --fastify             a bare Fastify route beside the bare server
  --folder PATH         where databases are made: on a real disk, or flushes cost nothing (${tmpdir()})
  --json FILE           write all figures there (bench/results/latest.json)`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    users: { type: 'string', default: '10000' },
    fastify: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
    json: { type: 'string', default: join(import.meta.dirname, 'results/latest.json') },
  },
});
if (options.help) {
  console.log(USAGE);
} else {
  await bench();
}

async function bench(): Promise<void> {
  const wanted = options.only?.split(',') ?? operations.map(({ name }) => name);
  const unknown = wanted.find((name) => !operations.some((operation) => operation.name === name));
  if (unknown !== undefined) throw new Error(`There is no operation ${unknown}.\n\n${USAGE}`);

  const folder = await mkdtemp(join(options.folder, 'innkeeper-bench-'));
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.version}, load by ${generator}, load average before ${loadavg()[0]?.toFixed(1)}`;
  console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}`);
  const stages = new Map<string, Stage>();
  const rows: Row[] = [];
  try {
    const databaseUrl = `sqlite:${join(folder, 'innkeeper.db')}`;
    stages.set('sqlite', await setStage({ databaseUrl, folder, users: Number(options.users) }));
    const conditions = {
      rounds: Number(options.rounds),
      seconds: Number(options.seconds),
      connections: Number(options.connections),
      folder,
    };
    for (const operation of operations.filter(({ name }) => wanted.includes(name))) {
      const row = await measureOperation(operation, { stages, withFastify: options.fastify }, conditions);
      rows.push(row);
      console.log(showTable([row], rows.length === 1));
    }
  } finally {
    for (const stage of stages.values()) await stage.stop();
    await rm(folder, { recursive: true, force: true });
  }
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify({ date: new Date().toISOString(), machine, rows }, null, 2)}\n`);
}
