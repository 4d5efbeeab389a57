import type { Problem } from '../storage/port.ts';

const EVERY_MS = 1_000;

/** Reports each kind of problem once when it appears and once when it is gone. */
export function watchProblems(
  problems: () => readonly Problem[],
  report: { found(problem: Problem): void; gone(kind: Problem['kind']): void },
): { stop(): void } {
  let known = new Set<Problem['kind']>();
  const look = (): void => {
    const present = new Map(problems().map((problem) => [problem.kind, problem]));
    for (const [kind, problem] of present) if (!known.has(kind)) report.found(problem);
    for (const kind of known) if (!present.has(kind)) report.gone(kind);
    known = new Set(present.keys());
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
