import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { operations } from './operations.ts';

/** What is measured besides the operations. */
export const FIGURES = ['start', 'forms', 'mixed-load', 'events', 'import', 'large-catalog', 'applications'];

const RESULTS = join(import.meta.dirname, 'results');

export const USAGE = `npm run bench -- [options]

  --only NAME,NAME      these alone: ${operations.map(({ name }) => name).join(', ')};
                        ${FIGURES.join(', ')}
  --database NAME       sqlite or postgres; both by default
  --rounds N            how often each is measured (5)
  --seconds N           how long each time (2)
  --quick               2 rounds of 1 second, fewer users, no peers: a look in a few minutes
  --no-peers            without Better Auth, Parse Server and Directus, which are installed into bench/peers at first
  --connections N       keep-alive connections (64)
  --users N             users in the database (10000)
  --large               instead: --users (5000000) with 5 selections each against 10,000, made by users import;
                        first on SQLite, then on PostgreSQL
  --against FOLDER      another checkout of Innkeeper, installed, in the same rounds: what a change costs
  --profile NAME        a CPU profile of one operation instead: flame graphs in the results, hottest functions here
  --write-docs          put tables and plot into docs/performance.md
  --results FOLDER      where figures, plot and profiles are written (bench/results)
  --flush-ms N          every flush to disk takes so much longer, for a look at slower disks (Linux with a C compiler)
  --folder PATH         where databases are made: on a real disk, or flushes cost nothing (${tmpdir()})`;

export type Options = ReturnType<typeof readOptions>;

export class UsageError extends Error {}

export function readOptions(args: string[]) {
  const values = parse(args);
  const { quick, large, help, profile, results, folder, database, against } = values;
  const all = [...operations.map(({ name }) => name), ...FIGURES];
  const only = (profile ?? values.only)?.split(',') ?? all;
  const unknown = only.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is nothing called ${unknown}.`);
  if (profile !== undefined && !operations.some(({ name }) => name === profile)) {
    throw new UsageError('Only an operation can be profiled.');
  }
  if (database !== undefined && !['sqlite', 'postgres'].includes(database)) {
    throw new UsageError(`There is no database called ${database}.`);
  }
  const number = (text: string | undefined, usual: number, ifQuick = usual): number => {
    const value = text === undefined ? (quick ? ifQuick : usual) : Number(text);
    if (!(value > 0)) throw new UsageError(`${text} is no number above 0.`);
    return value;
  };
  return {
    ...{ help, only, quick, large, profile: profile !== undefined, results, folder, against },
    peers: !(quick || values['no-peers']),
    isWhole: !large && values.only === undefined && database === undefined,
    writeDocs: values['write-docs'],
    flushMs: Number(values['flush-ms']),
    databases: database === undefined ? ['sqlite', 'postgres'] : [database],
    rounds: number(values.rounds, 5, 2),
    seconds: number(values.seconds, 2, 1),
    connections: number(values.connections, 64),
    users: number(values.users, large ? 5_000_000 : 10_000, large ? 100_000 : 1_000),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        only: { type: 'string' },
        database: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        'no-peers': { type: 'boolean', default: false },
        connections: { type: 'string', default: '64' },
        users: { type: 'string' },
        large: { type: 'boolean', default: false },
        against: { type: 'string' },
        profile: { type: 'string' },
        results: { type: 'string', default: RESULTS },
        'write-docs': { type: 'boolean', default: false },
        folder: { type: 'string', default: tmpdir() },
        'flush-ms': { type: 'string', default: '0' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
