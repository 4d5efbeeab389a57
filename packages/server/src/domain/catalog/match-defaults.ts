import type { Application } from '../applications/application.ts';
import { MAX_STEPS_INLINE } from '../selections/match-patterns.ts';
import type { Service } from '../service.ts';
import type { PatternCheck } from '../work.ts';
import type { FileKey } from './file-schema.ts';
import { countSteps, type KnownMatches, MAX_STEPS_OF_DEFAULTS, nameCheck } from './pattern.ts';

/** Matches defaults of an edit on a worker thread, if they take longer than the thread that answers can spare. Nothing is checked yet. */
export async function matchDefaults(
  { work }: Service,
  { appId }: Application,
  keys: readonly FileKey[],
): Promise<KnownMatches> {
  const checks: PatternCheck[] = [];
  let steps = 0;
  for (const { constraint, default: given } of keys) {
    const pattern: unknown = constraint?.pattern;
    if (typeof pattern !== 'string') continue;
    for (const text of [given].flat()) {
      if (typeof text !== 'string') continue;
      steps += countSteps(pattern, text);
      // Those beyond are refused unmatched.
      if (steps > MAX_STEPS_OF_DEFAULTS) break;
      checks.push({ pattern, text });
    }
  }
  if (steps <= MAX_STEPS_INLINE) return new Map();
  const results = await work.run('matchPatterns', checks, { appId });
  return new Map(checks.map((check, index) => [nameCheck(check), results[index] as boolean]));
}
