import type { Steps } from '../slices.ts';
import type { AllowedValue, Constraint, Scalar } from './catalog.ts';
import { constraintProblem, type Matches } from './check-value.ts';
import { compilePattern } from './pattern.ts';

/** Maximum steps of matching one text, which cannot pause: about 7 ms. */
const MAX_STEPS_AT_ONCE = 500_000;
/** Fewer are always matched: a text of 400 characters with a pattern of 50 instructions. About 0.3 ms. */
const ORDINARY_STEPS = 20_000;
/** For all costlier saved texts of a plan: half a second. */
const MAX_STEPS_OF_SAVED = 40_000_000;
/** For all values listed so far of a plan's keys, whose number the caller chooses: a tenth of a second. */
const MAX_STEPS_OF_LISTED = 8_000_000;
/** Pauses are in proportion to the work: about 0.6 ms each. */
const STEPS_PER_PAUSE = 50_000;

/**
 * Matches texts with the constraints of one plan, in limited time. Beyond the limits a text counts as refused: a plan
 * may report more affected selections than there are, never fewer.
 */
export class PlanMatching {
  #ofSaved = MAX_STEPS_OF_SAVED;
  #ofListed = MAX_STEPS_OF_LISTED;

  /** Whether a constraint refuses any of the values that a user chose. */
  refusesAny(constraint: Constraint, chosen: readonly Scalar[]): Steps<boolean> {
    return refuses(constraint, chosen, (steps) => {
      if (steps <= ORDINARY_STEPS) return true;
      this.#ofSaved -= steps;
      return this.#ofSaved >= 0;
    });
  }

  /** Whether a constraint refuses any value of a list. */
  refusesListed(constraint: Constraint, values: readonly AllowedValue[]): Steps<boolean> {
    const listed = values.map(({ value }) => value);
    return refuses(constraint, listed, (steps) => {
      this.#ofListed -= steps;
      return this.#ofListed >= 0;
    });
  }
}

function* refuses(
  constraint: Constraint,
  values: readonly Scalar[],
  spend: (steps: number) => boolean,
): Steps<boolean> {
  let worked = 0;
  const matches: Matches = (pattern, text) => {
    const { size, test } = compilePattern(pattern);
    const steps = size * text.length;
    if (steps > MAX_STEPS_AT_ONCE || !spend(steps)) return undefined;
    worked += steps;
    return test(text);
  };
  for (const value of values) {
    if (constraintProblem(constraint, value, matches) !== undefined) return true;
    for (; worked >= STEPS_PER_PAUSE; worked -= STEPS_PER_PAUSE) yield;
  }
  return false;
}
