import { RE2JS } from 're2js';
import { MAX_PROBLEMS } from './source.ts';

export type Pattern = {
  test(text: string): boolean;
  /** Its instructions, some 130 bytes and 3 microseconds of compiling each. */
  size: number;
};

/** RE2's time is the text times the pattern written out, so the latter is bounded too: before it is compiled, and after. */
const MAX_WRITTEN_OUT = 10_000;
const MAX_SIZE = 5_000;
/** Of one catalog, which is read at once: a quarter of a second and 13 MB. */
const MAX_PATTERNS = 1_000;
const MAX_SIZE_TOGETHER = 100_000;
/** Of those that are kept compiled, for all catalogs; the one unused for longest goes first. */
const MAX_SIZE_KEPT = 200_000;

const kept = new Map<string, Pattern>();
let sizeKept = 0;

/**
 * A pattern that has to match the whole text, as in HTML. RE2 knows no backtracking, and a pattern
 * whose repeats make it large is refused: no pattern and no text can make it hang. Throws with the reason.
 */
export function compilePattern(pattern: string): Pattern {
  const known = kept.get(pattern);
  if (known) {
    // Re-inserted last: the first key is always the one unused for longest.
    kept.delete(pattern);
    kept.set(pattern, known);
    return known;
  }
  const repeats = pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g);
  const counts = [...repeats].map(([, from, to]) => Number(to || from));
  const writtenOut = pattern.length * (1 + counts.reduce((sum, count) => sum + count, 0));
  if (writtenOut > MAX_WRITTEN_OUT) throw new Error('its repeats make it too large');
  const re2 = RE2JS.compile(pattern);
  const size = re2.programSize();
  if (size > MAX_SIZE) throw new Error('its repeats make it too large');
  const compiled = { test: (text: string) => re2.matches(text), size };
  kept.set(pattern, compiled);
  sizeKept += size;
  for (const [oldest, { size: freed }] of kept) {
    if (sizeKept <= MAX_SIZE_KEPT) break;
    kept.delete(oldest);
    sizeKept -= freed;
  }
  return compiled;
}

/** The patterns of one catalog. */
export class CatalogPatterns {
  readonly #seen = new Set<string>();
  #size = 0;
  #refused = 0;

  /** One that the catalog has already, and that is not looked at again. */
  keep(pattern: string): void {
    if (this.#seen.has(pattern)) return;
    this.#seen.add(pattern);
    this.#size += compilePattern(pattern).size;
  }

  /** Why the catalog cannot have this one as well; undefined when it can. Beyond the limits none is compiled. */
  add(pattern: string): string | undefined {
    if (this.#seen.has(pattern)) return undefined;
    if (this.#seen.size >= MAX_PATTERNS) return `is one too many: a catalog has at most ${MAX_PATTERNS} patterns`;
    if (this.#size > MAX_SIZE_TOGETHER) return TOO_LARGE_TOGETHER;
    // The compiling of a pattern that is too large takes long, too.
    if (this.#refused >= MAX_PROBLEMS) return 'was not looked at: so many patterns are wrong';
    try {
      this.#size += compilePattern(pattern).size;
    } catch (error) {
      this.#refused++;
      return `is not a pattern in RE2 syntax: ${(error as Error).message}`;
    }
    this.#seen.add(pattern);
    return this.#size > MAX_SIZE_TOGETHER ? TOO_LARGE_TOGETHER : undefined;
  }
}

const TOO_LARGE_TOGETHER =
  'makes the patterns of this catalog too large together: shorten the repeats in some, or let keys share one';
