import type { Outcome } from '../packages/server/test/operations/load.ts';
import { describe, isDone } from './client.ts';

/** "63 × 0008, 1 × done": how concurrent requests ended. */
export function countOutcomes(outcomes: Outcome[]): string {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    const code = outcome.kind === 'answered' ? String(outcome.body.code) : undefined;
    const name = isDone(outcome) ? 'done' : (code ?? describe(outcome));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
}
