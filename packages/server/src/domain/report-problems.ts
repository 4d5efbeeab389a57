import type { Problem } from '../storage/port.ts';

const EVERY_MS = 1_000;

/** Reports a problem when it begins, when its effect changes and when it is over: /readyz and the metrics show it meanwhile. */
export function reportProblems(
  problems: () => readonly Problem[],
  report: { begun(problem: Problem): void; over(kind: Problem['kind']): void },
): { stop(): void } {
  let known = new Map<Problem['kind'], Problem['effect']>();
  const look = (): void => {
    const found = problems();
    const now = new Map<Problem['kind'], Problem['effect']>();
    // The worst of a kind comes first (worstFirst).
    for (const problem of found) {
      if (now.has(problem.kind)) continue;
      now.set(problem.kind, problem.effect);
      if (known.get(problem.kind) !== problem.effect) report.begun(problem);
    }
    for (const kind of known.keys()) if (!now.has(kind)) report.over(kind);
    known = now;
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
