import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Campaign } from './campaign.ts';
import { campaigns } from './campaigns.ts';
import { type CampaignResult, hasHeld } from './run-campaign.ts';
import { triedOf } from './table.ts';

const FILE = join(import.meta.dirname, '../docs/reliability.md');
const [BEGIN, END] = ['<!-- faults: begin -->', '<!-- faults: end -->'];
const HEAD = [
  'campaign',
  'must hold',
  'what an operator sees',
  'tried',
  'lost',
  'measured',
  'control, and what it lost',
  'when, where',
  'command',
];

/** Puts the rows of a run into docs/reliability.md; rows of other campaigns stay. */
export async function writeDocs(
  ran: [Campaign, CampaignResult][],
  { isFull, times }: { isFull: boolean; times?: number | undefined },
): Promise<void> {
  const text = await readFile(FILE, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`docs/reliability.md has no ${BEGIN} … ${END}`);
  const rows = new Map<string, string>();
  for (const line of text.slice(from, to).split('\n')) {
    const name = /^\| `([^`]+)`/.exec(line)?.[1];
    if (name !== undefined) rows.set(name, line);
  }
  for (const [campaign, result] of ran) {
    const { name } = campaign;
    // A shorter run must not replace a full one.
    if (!isFull && rows.get(name)?.includes('--full')) continue;
    const command = `npm run faults -- ${isFull ? '--full' : '--only'} ${name}${times === undefined ? '' : ` --times ${times}`}`;
    if (result.cannotRun === undefined) rows.set(name, row(campaign, result, command));
  }
  const lines = [line(HEAD), line(HEAD.map(() => '---')), ...campaigns.flatMap(({ name }) => rows.get(name) ?? [])];
  await writeFile(FILE, `${text.slice(0, from)}${BEGIN}\n\n${lines.join('\n')}\n\n${text.slice(to)}`);
}

function row(campaign: Campaign, result: CampaignResult, command: string): string {
  const { outcome, control } = result;
  return line([
    `\`${campaign.name}\`: ${campaign.title}`,
    campaign.promise,
    campaign.operatorSees,
    triedOf(campaign, result),
    hasHeld(result) ? String(outcome.lost) : `**${outcome.lost || 'not known: the control lost nothing'}**`,
    outcome.figures.join('; '),
    `${campaign.control.what}: ${control.lost} of ${control.tried}`,
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${machine()}`,
    `\`${command}\``,
  ]);
}

/** Readers must know if there was other work. */
function machine(): string {
  const [, load = 0] = loadavg();
  return `${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.version}, load average ${load.toFixed(1)}`;
}

function line(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
