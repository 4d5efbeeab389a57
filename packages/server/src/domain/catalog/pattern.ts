import { RE2JS } from 're2js';
import { messageOf } from '../../caught.ts';
import type { PatternCheck } from '../work.ts';
import { createMatcher, type Program } from './match-program.ts';
import { MAX_PROBLEMS } from './source.ts';

export type Pattern = {
  test(text: string): boolean;
  /** Number of instructions, about 130 bytes and 3 microseconds of compiling each. */
  size: number;
};

/**
 * Matching takes at most the length of the text times the size of the pattern, 10 to 20 ns each: about 50 ms for a
 * key's text.
 */
const MAX_STEPS = 4_000_000;
/** For all defaults in a file, which is read on a worker thread. */
export const MAX_STEPS_OF_DEFAULTS = 40_000_000;
/** So the size is limited too: before a pattern is compiled, and after. */
const MAX_WRITTEN_OUT = 10_000;
const MAX_SIZE = 5_000;
/** Per catalog, which is read at once: a quarter of a second and 13 MB. */
const MAX_PATTERNS = 1_000;
const MAX_SIZE_TOGETHER = 100_000;
/** Total size of cached patterns, for all catalogs; the least recently used is evicted first. */
const MAX_SIZE_KEPT = 200_000;

const kept = new Map<string, Pattern>();
let sizeKept = 0;

/**
 * A pattern that must match the whole text, as in HTML. RE2 does not backtrack, and a pattern that its repeats make too
 * large is refused, so no pattern and text can make it hang. Throws with the reason.
 */
export function compilePattern(pattern: string): Pattern {
  const known = kept.get(pattern);
  if (known) {
    // Re-insert as last: the first key is always the least recently used.
    kept.delete(pattern);
    kept.set(pattern, known);
    return known;
  }
  if (writtenOut(pattern) > MAX_WRITTEN_OUT) throw new Error('its repeats make it too large');
  const re2 = RE2JS.compile(pattern);
  const size = re2.programSize();
  if (size > MAX_SIZE) throw new Error('its repeats make it too large');
  const compiled = { test: createMatcher(re2.re2Input.prog as Program), size };
  kept.set(pattern, compiled);
  sizeKept += size;
  for (const [oldest, { size: freed }] of kept) {
    if (sizeKept <= MAX_SIZE_KEPT) break;
    kept.delete(oldest);
    sizeKept -= freed;
  }
  return compiled;
}

/** An upper bound of its size, without compiling it. */
function writtenOut(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)].map(([, from, to]) => Number(to || from));
  return pattern.length * (1 + counts.reduce((sum, count) => sum + count, 0));
}

/** Compiling an instruction takes as long as this many steps of matching. */
const STEPS_TO_COMPILE = 200;

/** Maximum steps of matching, including those to compile the pattern if it is not cached. */
export function countSteps(pattern: string, text: string): number {
  const known = kept.get(pattern);
  return known ? known.size * text.length : writtenOut(pattern) * (text.length + STEPS_TO_COMPILE);
}

/** Why no key can have both: saving the longest text would delay all other requests. */
export function productProblem(pattern: string, maxLength: number): string | undefined {
  const { size } = compilePattern(pattern);
  if (size * maxLength <= MAX_STEPS) return undefined;
  return `is too large for texts of up to ${maxLength} characters: set max_length to at most ${Math.floor(MAX_STEPS / size)}, or shorten its repeats`;
}

/** Results of matching on a worker thread. */
export type KnownMatches = ReadonlyMap<string, boolean>;

export function nameCheck({ pattern, text }: PatternCheck): string {
  return `${pattern}\0${text}`;
}

/** The patterns of one catalog. */
export class CatalogPatterns {
  readonly #known: KnownMatches;
  readonly #seen = new Set<string>();
  #size = 0;
  #refused = 0;
  #steps = MAX_STEPS_OF_DEFAULTS;

  constructor(known: KnownMatches = new Map()) {
    this.#known = known;
  }

  /** Whether a default matches; undefined if there are too many defaults to match. */
  matches(pattern: string, text: string): boolean | undefined {
    this.#steps -= countSteps(pattern, text);
    if (this.#steps < 0) return undefined;
    return this.#known.get(nameCheck({ pattern, text })) ?? compilePattern(pattern).test(text);
  }

  /** Counts a pattern that the catalog already has, without checking it again. */
  keep(pattern: string): void {
    if (this.#seen.has(pattern)) return;
    this.#seen.add(pattern);
    this.#size += compilePattern(pattern).size;
  }

  /** Why the catalog cannot have this pattern as well; undefined if it can. Beyond the limits, none is compiled. */
  add(pattern: string): string | undefined {
    if (this.#seen.has(pattern)) return undefined;
    if (this.#seen.size >= MAX_PATTERNS) return `exceeds the maximum of ${MAX_PATTERNS} patterns in a catalog`;
    if (this.#size > MAX_SIZE_TOGETHER) return TOO_LARGE_TOGETHER;
    // Compiling a pattern that is too large also takes long.
    if (this.#refused >= MAX_PROBLEMS) return 'was not checked: too many patterns are invalid';
    try {
      this.#size += compilePattern(pattern).size;
    } catch (error) {
      this.#refused++;
      return `is not a pattern in RE2 syntax: ${messageOf(error)}`;
    }
    this.#seen.add(pattern);
    return this.#size > MAX_SIZE_TOGETHER ? TOO_LARGE_TOGETHER : undefined;
  }
}

const TOO_LARGE_TOGETHER =
  'makes the patterns of this catalog too large together: shorten the repeats in some, or let keys share one';
