import type { Campaign } from './campaign.ts';
import { type CampaignResult, hasFound } from './run-campaign.ts';

const HEAD = ['campaign', 'tried', 'survived', 'lost', 'control lost', 'took', ''];
const WIDTHS = [22, 18, 9, 6, 13, 7, 0];
/** How many losses are listed one by one. */
const SHOWN = 10;

export const head = (): string => layOut(HEAD);

/** A campaign's row, and its losses below. */
export function tableLines(campaign: Campaign, result: CampaignResult): string[] {
  const { outcome, control, cannotRun, seconds } = result;
  if (cannotRun !== undefined) return [layOut([campaign.name, 'not tried', '', '', '', '', cannotRun])];
  const line = layOut([
    campaign.name,
    `${triedOf(campaign, result)}`,
    String(outcome.tried - outcome.lost),
    String(outcome.lost),
    `${control.lost} of ${control.tried}`,
    `${Math.round(seconds)} s`,
    outcome.figures.join('; '),
  ]);
  const losses = [...outcome.losses, ...outcome.broken];
  const silent = hasFound(control)
    ? []
    : ['The control lost nothing: this campaign cannot find a loss.', ...control.broken.slice(0, 3)];
  const more = losses.length > SHOWN ? [`and ${losses.length - SHOWN} more`] : [];
  return [line, ...[...losses.slice(0, SHOWN), ...more, ...silent].map((text) => `    ${text}`)];
}

/** "20 kills", or "50 of 500 kills" if fewer were tried than the full run requires. */
export function triedOf({ unit, times }: Campaign, { outcome }: CampaignResult): string {
  const count = outcome.tried.toLocaleString('en');
  return outcome.tried < times.full ? `${count} of ${times.full.toLocaleString('en')} ${unit}` : `${count} ${unit}`;
}

function layOut(cells: string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();
}
