import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { campaigns } from './campaigns.ts';

const NAMES = campaigns.map(({ name }) => name);

export const USAGE = `npm run faults -- [options]

Brings about what can go wrong, and counts what is lost by it. Each campaign has a control, the same against something
broken on purpose: if nothing is lost there, the campaign has failed.

  (nothing)             the short form of every campaign, under 10 minutes on 2 quiet cores
  --list                what campaigns there are, and what each promises
  --only NAME,NAME      these alone: ${NAMES.join(', ')}
  --full NAME,NAME      the long form of these alone; "all" for all of them (hours)
  --times N             so many tries instead
  --write-docs          put the rows of this run into docs/reliability.md; a short run leaves rows of long ones alone
  --folder PATH         where databases are made: on a real disk, or flushes cost nothing (${tmpdir()})

Ends with 0 when nothing was lost, 1 when something was or a control found nothing, 2 when misused.

  npm run faults -- --only kill-9
  npm run faults -- --full kill-9 --times 50 --write-docs`;

export class Misuse extends Error {}

export type Options = ReturnType<typeof readOptions>;

export function readOptions(args: string[]) {
  const values = parse(args);
  const { help, list, full, folder, times } = values;
  if (full !== undefined && values.only !== undefined) throw new Misuse('Either --only or --full.');
  const wanted = full === 'all' ? NAMES : ((full ?? values.only)?.split(',') ?? NAMES);
  const unknown = wanted.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Misuse(`There is no campaign called ${unknown}.`);
  if (times !== undefined && !/^[1-9]\d*$/.test(times)) throw new Misuse(`${times} is no number above 0.`);
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
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
}
