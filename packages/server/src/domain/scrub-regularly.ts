import type { Scrub, ScrubOutcome } from '../storage/port.ts';

const LOOK_MS = 60_000;
const AFTER_FAILURE_MS = 3600_000;

/**
 * Every process checks whether a scrub is due; the database stores the time of the last one, so only one process does
 * it.
 */
export function scrubRegularly(
  scrub: Scrub,
  { everyMs, now }: { everyMs: number; now(): number },
  report: { done(outcome: ScrubOutcome, seconds: number): void; failed(error: unknown): void },
): { stop(): Promise<void> } {
  let inFlight: Promise<void> | undefined;
  let notBefore = 0;

  const look = async (): Promise<void> => {
    const started = performance.now();
    try {
      const outcome = await scrub({ now: now(), unlessSince: now() - everyMs });
      if (outcome.outcome === 'not-due') return;
      if (outcome.outcome !== 'scrubbed') notBefore = started + AFTER_FAILURE_MS;
      report.done(outcome, (performance.now() - started) / 1000);
    } catch (error) {
      notBefore = started + AFTER_FAILURE_MS;
      report.failed(error);
    }
  };
  const timer = setInterval(
    () => {
      if (inFlight || performance.now() < notBefore) return;
      inFlight = look().finally(() => {
        inFlight = undefined;
      });
    },
    LOOK_MS * (0.8 + Math.random() * 0.4),
  ).unref();

  return {
    async stop() {
      clearInterval(timer);
      await inFlight;
    },
  };
}
