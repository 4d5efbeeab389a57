import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Campaign, type CampaignContext, CannotRun } from './campaign.ts';

export type Outcome = {
  tried: number;
  lost: number;
  /** The losses, in words. */
  losses: string[];
  /** Tries that failed with an error of their own. */
  broken: string[];
  figures: string[];
};

export type CampaignResult = {
  seconds: number;
  /** How many tries were requested. */
  times: number;
  outcome: Outcome;
  control: Outcome;
  /** Why nothing could be tried here. */
  cannotRun?: string;
};

export type RunOptions = { isFull: boolean; times?: number | undefined; folder: string };

/** Runs the control first: unless it finds losses, a campaign without losses proves nothing. */
export async function runCampaign(campaign: Campaign, options: RunOptions): Promise<CampaignResult> {
  const { isFull } = options;
  const times = options.times ?? campaign.times[isFull ? 'full' : 'short'];
  const before = performance.now();
  const none: Outcome = { tried: 0, lost: 0, losses: [], broken: [], figures: [] };
  const finish = (result: Partial<CampaignResult>): CampaignResult => {
    const seconds = (performance.now() - before) / 1000;
    return { seconds, times, outcome: none, control: none, ...result };
  };
  try {
    const { control } = campaign;
    const controlled = await onContext((context) => control.run(context), { ...options, times: control.times });
    const outcome = await onContext((context) => campaign.run(context), { ...options, times });
    return finish({ outcome, control: controlled });
  } catch (error) {
    if (error instanceof CannotRun) return finish({ cannotRun: error.message });
    throw error;
  }
}

export function hasHeld({ outcome, control, cannotRun }: CampaignResult): boolean {
  return cannotRun !== undefined || (outcome.tried > 0 && outcome.lost === 0 && hasFound(control));
}

/** It found a loss, and through the fault itself: a control that fails otherwise proves nothing. */
export function hasFound({ losses, broken }: Outcome): boolean {
  return losses.length > 0 && broken.length === 0;
}

async function onContext(
  run: (context: CampaignContext) => Promise<void>,
  { times, isFull, folder: parent }: RunOptions & { times: number },
): Promise<Outcome> {
  const folder = await mkdtemp(join(parent, 'faults-'));
  const undos: (() => unknown)[] = [];
  const outcome: Outcome = { tried: 0, lost: 0, losses: [], broken: [], figures: [] };
  try {
    await run({
      ...{ times, isFull, folder },
      defer: (undo) => undos.push(undo),
      report: (figure) => outcome.figures.push(figure),
      lose(what) {
        outcome.losses.push(what);
        outcome.lost = Math.min(outcome.lost + 1, outcome.tried);
      },
      async attempt(work) {
        const prefix = `${++outcome.tried}. try: `;
        let isLost = false;
        try {
          await work((what) => {
            isLost = true;
            outcome.losses.push(prefix + what);
          });
        } catch (error) {
          if (error instanceof CannotRun) throw error;
          isLost = true;
          outcome.broken.push(prefix + (error instanceof Error ? (error.stack ?? error.message) : String(error)));
        }
        if (isLost) outcome.lost++;
      },
    });
  } catch (error) {
    if (error instanceof CannotRun) throw error;
    outcome.tried++;
    outcome.lost++;
    outcome.broken.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    for (const undo of undos.toReversed()) {
      try {
        await undo();
      } catch (error) {
        console.error('could not clean up:', error);
      }
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return outcome;
}
