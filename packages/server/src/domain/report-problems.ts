import type { Problem } from '../storage/port.ts';

const EVERY_MS = 1_000;

/** Says once when a problem begins or its effect changes, and once when it is over: /readyz and the metrics show it meanwhile. */
export function reportProblems(
  problems: () => readonly Problem[],
  report: { begun(problem: Problem): void; over(kind: Problem['kind']): void },
): { stop(): void } {
  let known = new Map<Problem['kind'], Problem>();
  const look = (): void => {
    // The worst of a kind comes first.
    const found = new Map(
      problems()
        .toReversed()
        .map((problem) => [problem.kind, problem]),
    );
    for (const [kind, problem] of found) if (known.get(kind)?.effect !== problem.effect) report.begun(problem);
    for (const kind of known.keys()) if (!found.has(kind)) report.over(kind);
    known = found;
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
