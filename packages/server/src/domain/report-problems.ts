import type { Problem } from '../storage/port.ts';

const EVERY_MS = 1_000;

/** Says once when a problem begins and once when it is over: /readyz and the metrics show it meanwhile. */
export function reportProblems(
  problems: () => readonly Problem[],
  report: { begun(problem: Problem): void; over(kind: Problem['kind']): void },
): { stop(): void } {
  let known = new Set<Problem['kind']>();
  const look = (): void => {
    const found = problems();
    const kinds = new Set(found.map(({ kind }) => kind));
    for (const problem of found) if (!known.has(problem.kind)) report.begun(problem);
    for (const kind of known) if (!kinds.has(kind)) report.over(kind);
    known = kinds;
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
