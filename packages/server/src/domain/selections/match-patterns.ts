import { MAX_TEXT, type Matches } from '../catalog/check-value.ts';
import { compilePattern, countSteps } from '../catalog/pattern.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import type { PatternCheck } from '../work.ts';
import { MAX_VALUES } from './check-selection.ts';
import type { WantedSelection } from './save-selections.ts';

/** Texts to match against a key's pattern. */
type Matched = Pick<WantedSelection, 'placed' | 'values'>;

/** Maximum steps on the HTTP thread: about 10 ms. Typical input takes a hundredth of it. */
export const MAX_STEPS_INLINE = 500_000;

/** Matches here, for at most this many steps in total; for further texts, returns `beyond` (check-value.ts). */
export function matchWithin(steps: number, beyond: true | undefined): Matches {
  let left = steps;
  return (pattern, text) => {
    left -= countSteps(pattern, text);
    return left < 0 ? beyond : compilePattern(pattern).test(text);
  };
}

/** Maximum steps for one request at all: two seconds. */
const MAX_STEPS_OF_REQUEST = 100_000_000;

/** How many steps it takes to match the wanted values against the patterns of their keys. */
export function countMatching(wanted: readonly Matched[]): number {
  return wanted.reduce(
    (sum, each) => checksOf(each).reduce((steps, { pattern, text }) => steps + countSteps(pattern, text), sum),
    0,
  );
}

/** Matches everything on a worker thread; the returned function only looks up the results. */
export async function matchOnThread(service: Service, appId: number, wanted: readonly Matched[]): Promise<Matches> {
  if (countMatching(wanted) > MAX_STEPS_OF_REQUEST) {
    const message = 'There are too many long texts with patterns in this request: save fewer of them at once.';
    throw new InnkeeperError('valueNotAllowed', {
      fields: [{ field: 'value', message: 'is too large' }],
      message,
    });
  }
  const checks = wanted.flatMap(checksOf);
  const results = await service.work.run('matchPatterns', checks, { appId });
  const known = new Map(checks.map(({ pattern, text }, index) => [`${pattern}\0${text}`, results[index]]));
  return (pattern, text) => known.get(`${pattern}\0${text}`);
}

/** The texts to match against a pattern: no longer than the key allows, each once. */
function checksOf({ placed: { key }, values }: Matched): PatternCheck[] {
  const { pattern, maxLength = MAX_TEXT } = key.constraint;
  if (pattern === undefined || key.values !== null || (!key.multiple && values.length > 1)) return [];
  // In characters it may be half as long.
  const texts = values.filter((value) => typeof value === 'string').filter((text) => text.length <= maxLength * 2);
  return [...new Set(texts)].slice(0, MAX_VALUES).map((text) => ({ pattern, text }));
}
