import type { Application } from '../applications/application.ts';
import { MAX_STEPS_INLINE } from '../selections/match-patterns.ts';
import type { Service } from '../service.ts';
import type { PatternCheck } from '../work.ts';
import type { FileKey } from './file-schema.ts';
import { countSteps, type KnownMatches, MAX_STEPS_OF_DEFAULTS, nameCheck } from './pattern.ts';

/**
 * Matches the defaults of an edit on a worker thread if that takes too long for the HTTP thread. Nothing has been
 * checked yet.
 */
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
      // The rest is refused without matching.
      if (steps > MAX_STEPS_OF_DEFAULTS) break;
      checks.push({ pattern, text });
    }
  }
  if (steps <= MAX_STEPS_INLINE) return new Map();
  const results = await work.run('matchPatterns', checks, { appId });
  return new Map(checks.map((check, index) => [nameCheck(check), results[index] as boolean]));
}
