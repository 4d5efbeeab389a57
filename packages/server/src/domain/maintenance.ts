import type { Storage } from '../storage/port.ts';
import type { Clock } from './clock.ts';
import { EventPurge } from './events/purge-events.ts';
import { HistoryPurge } from './selections/purge-history.ts';

const EVERY_MS = 60_000;

/**
 * Purges expired rows and rotates keys, as far as the clock is trusted. Every replica does it: each step is safe to
 * repeat.
 */
export function runMaintenance(
  storage: Storage,
  keys: { rotateIfDue(): Promise<void> },
  clock: Pick<Clock, 'mayPurgeBefore' | 'mayRotate'>,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  const histories = new HistoryPurge(storage);
  const events = new EventPurge(storage);
  let stopped = false;
  let inFlight: Promise<void> = Promise.resolve();

  const tidy = async (): Promise<void> => {
    const before = await clock.mayPurgeBefore();
    if (clock.mayRotate) await keys.rotateIfDue();
    if (before === undefined) return;
    // Bounded batches with pauses in between, so that purging does not hold up requests.
    while (!stopped && (await storage.purgeExpired(before)) >= 1000) await pause(50);
    while (!stopped && (await events.step(before))) await pause(50);
    while (!stopped && (await histories.step(before))) await pause(50);
  };
  const timer = setInterval(
    () => {
      inFlight = tidy().catch(onFailure);
    },
    EVERY_MS * (0.8 + Math.random() * 0.4),
  );
  timer.unref();

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await inFlight;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
