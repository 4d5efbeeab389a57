import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { campaigns } from './campaigns.ts';

const NAMES = campaigns.map(({ name }) => name);

export const USAGE = `npm run faults -- [options]

Injects faults and counts what is lost. Each campaign has a control, the same faults against a deliberately broken
variant: if nothing is lost there, the campaign has failed.

  (nothing)             the short form of every campaign, about 15 minutes on 2 quiet cores
  --list                list the campaigns and their guarantees
  --only NAME,NAME      only these: ${NAMES.join(', ')}
  --full NAME,NAME      the long form of these; "all" for all (hours)
  --times N             number of tries
  --write-docs          write the rows of this run to docs/reliability.md; a short run does not replace rows of long ones
  --folder PATH         folder for databases; use a real disk, or flushes cost nothing (default: ${tmpdir()})

Exit codes: 0 nothing lost; 1 something lost, or a control found nothing; 2 usage error.

  npm run faults -- --only kill-9
  npm run faults -- --full kill-9 --times 50 --write-docs`;

export class UsageError extends Error {}

export type Options = ReturnType<typeof readOptions>;

export function readOptions(args: string[]) {
  const values = parse(args);
  const { help, list, full, folder, times } = values;
  if (full !== undefined && values.only !== undefined) throw new UsageError('Either --only or --full.');
  const wanted = full === 'all' ? NAMES : ((full ?? values.only)?.split(',') ?? NAMES);
  const unknown = wanted.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no campaign called ${unknown}.`);
  if (times !== undefined && !/^[1-9]\d*$/.test(times)) throw new UsageError(`${times} is no number above 0.`);
  return {
    ...{ help, list, folder },
    isFull: full !== undefined,
    times: times === undefined ? undefined : Number(times),
    writeDocs: values['write-docs'],
    campaigns: campaigns.filter(({ name }) => wanted.includes(name)),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        list: { type: 'boolean', default: false },
        only: { type: 'string' },
        full: { type: 'string' },
        times: { type: 'string' },
        'write-docs': { type: 'boolean', default: false },
        folder: { type: 'string', default: tmpdir() },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
