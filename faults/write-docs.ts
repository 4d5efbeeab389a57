import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Campaign } from './campaign.ts';
import { campaigns } from './campaigns.ts';
import { type CampaignResult, hasHeld } from './run-campaign.ts';
import { triedOf } from './table.ts';

const FILE = join(import.meta.dirname, '../docs/reliability.md');
const [BEGIN, END] = ['<!-- faults: begin -->', '<!-- faults: end -->'];
/** Marks the row of a short run. */
const SHORT = ' (short)';
const HEAD = [
  'campaign',
  'must hold',
  'what an operator sees',
  'tried',
  'lost',
  'measured',
  'control, and what it lost',
  'when, where',
];

/** Puts the rows of a run into docs/reliability.md; rows of other campaigns stay. */
export async function writeDocs(ran: [Campaign, CampaignResult][], isFull: boolean): Promise<void> {
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
    const known = rows.get(name);
    if (!isFull && known !== undefined && !known.includes(SHORT)) continue;
    if (result.cannotRun === undefined) rows.set(name, row(campaign, result, isFull));
  }
  const lines = [line(HEAD), line(HEAD.map(() => '---')), ...campaigns.flatMap(({ name }) => rows.get(name) ?? [])];
  await writeFile(FILE, `${text.slice(0, from)}${BEGIN}\n\n${lines.join('\n')}\n\n${text.slice(to)}`);
}

function row(campaign: Campaign, result: CampaignResult, isFull: boolean): string {
  const { outcome, control } = result;
  return line([
    `\`${campaign.name}\`: ${campaign.title}`,
    campaign.promise,
    campaign.operatorSees,
    `${triedOf(campaign, result)}${isFull ? '' : SHORT}`,
    hasHeld(result) ? String(outcome.lost) : `**${outcome.lost || 'not known: the control lost nothing'}**`,
    outcome.figures.join('; '),
    `${campaign.control.what}: ${control.lost} of ${control.tried}`,
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${machine()}`,
  ]);
}

/** Readers must know if there was other work. */
function machine(): string {
  const [, load = 0] = loadavg();
  return `${availableParallelism()} × ${cpus()[0]?.model.replaceAll(/\((?:R|TM)\)| (?:Processor|CPU)/g, '')}, Node ${process.version}, load ${load.toFixed(1)}`;
}

function line(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}
