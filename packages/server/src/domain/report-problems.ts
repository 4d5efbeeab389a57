import type { Problem } from '../storage/port.ts';

const EVERY_MS = 1_000;
/** How soon a continuing problem is reported again, if its message has changed. */
const AGAIN_MS = 3_600_000;

/**
 * Reports once when a problem begins or its effect changes, and once when it is over; /readyz and the metrics show it
 * meanwhile. If its message changes (a clock that jumps again, a log that grows), it is reported again after an hour.
 */
export function reportProblems(
  problems: () => readonly Problem[],
  report: { begun(problem: Problem): void; over(kind: Problem['kind']): void },
): { stop(): void } {
  let known = new Map<Problem['kind'], Problem>();
  const reported = new Map<Problem['kind'], { message: string; at: number }>();
  const isNews = ({ kind, message, effect }: Problem): boolean => {
    if (known.get(kind)?.effect !== effect) return true;
    const last = reported.get(kind);
    return last?.message !== message && performance.now() - (last?.at ?? 0) > AGAIN_MS;
  };
  const look = (): void => {
    // The worst of a kind comes first.
    const found = new Map(
      problems()
        .toReversed()
        .map((problem) => [problem.kind, problem]),
    );
    for (const [kind, problem] of found) {
      if (!isNews(problem)) continue;
      reported.set(kind, { message: problem.message, at: performance.now() });
      report.begun(problem);
    }
    for (const kind of known.keys()) if (!found.has(kind)) report.over(kind);
    known = found;
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
