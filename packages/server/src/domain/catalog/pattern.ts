import { RE2JS } from 're2js';
import { messageOf } from '../../caught.ts';
import { MAX_PROBLEMS } from './source.ts';

/** A text and the pattern it must match. */
export type PatternCheck = { pattern: string; text: string };

/** An instruction of a pattern compiled by re2js, with the fields in its type declarations. */
type Instruction = { op: number; out: number; arg: number; matchRune(rune: number): boolean; runes: Int32Array };
type Program = { inst: readonly Instruction[]; start: number };

const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE = 8;
/** Any character; 11 is any but a newline. */
const RUNE_ANY = 10;
const NEWLINE = 10;

const BEGIN_LINE = 1;
const END_LINE = 2;
const BEGIN_TEXT = 4;
const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

/**
 * Whether a program matches a whole text, by Thompson's simulation: each character visits each instruction at most
 * once, so the time is at most the length of the text times that of the program, some nanoseconds each. Nothing is
 * cached: re2js is fast while its automaton is small but many times slower when it is not, and the automaton it keeps
 * is larger than the program.
 */
function createMatcher({ inst, start }: Program): (text: string) => boolean {
  const size = inst.length;
  const op = Uint8Array.from(inst, (each) => each.op);
  const arg = Int32Array.from(inst, ({ op, arg }) => (op === EMPTY_WIDTH ? arg : skipPlain(inst, arg)));
  const out = Int32Array.from(inst, (each) => skipPlain(inst, each.out));
  const { classOf, classes } = listClasses(inst);
  // For each class: whether it includes the current character, and which character that was.
  const results = new Uint8Array(classes.length);
  const testedAt = new Int32Array(classes.length);
  const visitedAt = new Int32Array(size);
  const pending = new Int32Array(size * 2 + 2);
  let now = new Int32Array(size);
  let next = new Int32Array(size);
  let step = 0;

  let listed = 0;
  /**
   * Lists what can be reached from an instruction without consuming a character, and tells whether that includes the
   * end of the pattern.
   */
  function follow(from: number, list: Int32Array, length: number, holds: number): boolean {
    let isMatch = false;
    let waiting = 1;
    pending[0] = from;
    while (waiting > 0) {
      const at = pending[--waiting] as number;
      if (visitedAt[at] === step) continue;
      visitedAt[at] = step;
      const code = op[at] as number;
      if (code >= RUNE) list[length++] = at;
      else if (code <= ALT_MATCH) {
        pending[waiting++] = arg[at] as number;
        pending[waiting++] = out[at] as number;
      } else if (code === MATCH) isMatch = true;
      else if (code === EMPTY_WIDTH && ((arg[at] as number) & ~holds) === 0) pending[waiting++] = out[at] as number;
    }
    listed = length;
    return isMatch;
  }

  return (text) => {
    if (step > 2 ** 30) {
      step = 0;
      visitedAt.fill(0);
      testedAt.fill(0);
    }
    let before = -1;
    let rune = text.codePointAt(0) ?? -1;
    let position = 0;
    step++;
    let isMatch = follow(skipPlain(inst, start), now, 0, assertionsAt(before, rune));
    let count = listed;
    while (rune >= 0 && count > 0) {
      position += rune > 0xffff ? 2 : 1;
      before = rune;
      rune = text.codePointAt(position) ?? -1;
      const holds = assertionsAt(before, rune);
      isMatch = false;
      let length = 0;
      step++;
      for (let index = 0; index < count; index++) {
        const at = now[index] as number;
        const kind = classOf[at] as number;
        if (testedAt[kind] !== step) {
          testedAt[kind] = step;
          results[kind] = classes[kind]?.has(before) ? 1 : 0;
        }
        if (results[kind] === 0) continue;
        const to = out[at] as number;
        if (visitedAt[to] === step) continue;
        if ((op[to] as number) >= RUNE) {
          visitedAt[to] = step;
          next[length++] = to;
        } else {
          if (follow(to, next, length, holds)) isMatch = true;
          length = listed;
        }
      }
      [now, next] = [next, now];
      count = length;
    }
    return isMatch && rune < 0;
  };
}

/** Skips instructions that do nothing here, because captures are not needed. */
function skipPlain(inst: readonly Instruction[], from: number): number {
  let at = from;
  while (inst[at]?.op === CAPTURE || inst[at]?.op === NOP) at = (inst[at] as Instruction).out;
  return at;
}

/** Groups instructions that match the same characters: `.{9}` is one class, however often it is repeated. */
function listClasses(inst: readonly Instruction[]): { classOf: Int32Array; classes: { has(rune: number): boolean }[] } {
  const classes: { has(rune: number): boolean }[] = [{ has: () => true }, { has: (rune) => rune !== NEWLINE }];
  // Repeats of a set share its array; single characters, most of the rest, are compared by value.
  const known = new Map<unknown, number>();
  const classOf = Int32Array.from(inst, (each) => {
    if (each.op < RUNE) return -1;
    if (each.op >= RUNE_ANY) return each.op - RUNE_ANY;
    const name = each.runes.length > 2 ? each.runes : `${each.arg} ${each.runes.join()}`;
    const at = known.get(name) ?? classes.push({ has: (rune) => each.matchRune(rune) }) - 1;
    known.set(name, at);
    return at;
  });
  return { classOf, classes };
}

function assertionsAt(before: number, after: number): number {
  const isBoundary = isWord(before) !== isWord(after);
  return (
    (before < 0 ? BEGIN_TEXT | BEGIN_LINE : 0) |
    (before === NEWLINE ? BEGIN_LINE : 0) |
    (after < 0 ? END_TEXT | END_LINE : 0) |
    (after === NEWLINE ? END_LINE : 0) |
    (isBoundary ? WORD_BOUNDARY : NO_WORD_BOUNDARY)
  );
}

/** The characters of \w in RE2. */
function isWord(rune: number): boolean {
  return (rune >= 97 && rune <= 122) || (rune >= 65 && rune <= 90) || (rune >= 48 && rune <= 57) || rune === 95;
}

type Pattern = {
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
  const { prog, size } = compileProgram(pattern);
  if (size > MAX_SIZE) throw new Error('its repeats make it too large');
  const compiled = { test: createMatcher(prog), size };
  kept.set(pattern, compiled);
  sizeKept += size;
  for (const [oldest, { size: freed }] of kept) {
    if (sizeKept <= MAX_SIZE_KEPT) break;
    kept.delete(oldest);
    sizeKept -= freed;
  }
  return compiled;
}

/** An empty group, and its size. */
const NOTHING = '()';
const SIZE_OF_NOTHING = 3;
/** A repeat of nothing, which would be valid after an empty group. */
const INVALID_REPEAT = /^(?:\(\?[a-zA-Z-]*\)|\\Q\\E)*[*+?{]/;

/**
 * For a pattern that begins with ^, re2js also builds the tables of a matcher that is not used here, in cubic time. An
 * empty group before it prevents that.
 */
function compileProgram(pattern: string): { prog: Program; size: number } {
  const isPadded = /\^|\\A/.test(pattern) && !INVALID_REPEAT.test(pattern);
  const written = isPadded ? NOTHING + pattern : pattern;
  try {
    const re2 = RE2JS.compile(written);
    return {
      prog: re2.re2Input.prog as Program,
      size: re2.programSize() - (isPadded ? SIZE_OF_NOTHING : 0),
    };
  } catch (error) {
    // The message quotes the pattern.
    throw new Error(messageOf(error).replace(written, () => pattern));
  }
}

/** An upper bound of its size, without compiling it. */
function writtenOut(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)].map(([, from, to]) => Number(to || from));
  return pattern.length * (1 + counts.reduce((sum, count) => sum + count, 0));
}

/** Characters that re2js checks for other cases one by one, unless a range includes all of them. */
const FIRST_WITH_CASE = 0x41;
const LAST_WITH_CASE = 0x1e943;
/** So many take at most as long as compiling an instruction. */
const CHARACTERS_PER_INSTRUCTION = 50;
/** A Unicode class such as \p{L} has up to 700 ranges, which take as long as this many instructions. */
const INSTRUCTIONS_PER_UNICODE_CLASS = 30;
/** At most 30 ms. */
const MAX_CLASSES_COST = 3_000;

const STARTS_CLASS = /\\Q.*?(?:\\E|$)|\\[pP]|\\.|\[\^?|./suy;
const UNICODE_CLASS = /\\[pP](?:\{[^}]*\}?|.)/suy;
const OTHER_CLASS = /\\[dDsSwW]/y;
const CHARACTER = /\\x\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})|\\?(.)/suy;

/**
 * What the character classes of a pattern add to the time to compile it, in instructions. They add nothing to its size:
 * `(?i)[B-\x{1e942}]` compiles to three instructions, but re2js looks up the cases of 125,000 characters.
 */
function classesCost(pattern: string): number {
  const ignoresCase = /\(\?[msU]*i/.test(pattern);
  let characters = 0;
  let unicodeClasses = 0;
  let at = 0;
  /** Reads a token here; undefined if there is none. */
  const read = (token: RegExp): RegExpExecArray | undefined => {
    token.lastIndex = at;
    const found = token.exec(pattern) ?? undefined;
    if (found) at = token.lastIndex;
    return found;
  };
  const readCharacter = () => {
    const [, inBraces, hex, octal, character] = read(CHARACTER) ?? [];
    if (character !== undefined) return character.codePointAt(0) as number;
    return octal === undefined ? Number.parseInt(inBraces ?? hex ?? '', 16) : Number.parseInt(octal, 8);
  };
  /** As re2js does: a ] that comes first and a - beside a class or at the end are characters. */
  const readClass = () => {
    for (let isFirst = true; at < pattern.length; isFirst = false) {
      if (pattern[at] === ']' && !isFirst) return;
      const end = pattern.startsWith('[:', at) ? pattern.indexOf(':]', at + 2) : -1;
      if (end >= 0) at = end + 2;
      else if (read(UNICODE_CLASS)) unicodeClasses++;
      else if (!read(OTHER_CLASS)) {
        const from = readCharacter();
        if (pattern[at] !== '-' || pattern[at + 1] === ']') continue;
        at++;
        const to = readCharacter();
        if (from <= FIRST_WITH_CASE && to >= LAST_WITH_CASE) continue;
        characters += Math.max(0, Math.min(to, LAST_WITH_CASE) - Math.max(from, FIRST_WITH_CASE) + 1) || 0;
      }
    }
  };
  while (at < pattern.length) {
    const [token = ''] = read(STARTS_CLASS) ?? [];
    if (token === '\\p' || token === '\\P') unicodeClasses++;
    else if (token.startsWith('[')) readClass();
  }
  return (
    unicodeClasses * INSTRUCTIONS_PER_UNICODE_CLASS +
    (ignoresCase ? Math.ceil(characters / CHARACTERS_PER_INSTRUCTION) : 0)
  );
}

/** Compiling an instruction takes as long as this many steps of matching. */
const STEPS_TO_COMPILE = 200;
/** Ordinary classes, up to a few milliseconds, are not counted when a pattern is matched. */
const CLASSES_NOT_COUNTED = 500;
/**
 * A pattern published before its classes were limited can cost far more than this, but a request must still be able to
 * match a few on a worker thread. More than any part of a request may match on the HTTP thread.
 */
const MAX_CLASSES_COUNTED = 12_000;

/**
 * Maximum steps of matching, including those to compile the pattern if it is not cached. Among several texts, only the
 * first has to compile it.
 */
export function countSteps(pattern: string, text: string, isFirst = true): number {
  const known = kept.get(pattern);
  if (known) return known.size * text.length;
  const steps = writtenOut(pattern) * (text.length + STEPS_TO_COMPILE);
  const cost = isFirst ? classesCost(pattern) : 0;
  return cost > CLASSES_NOT_COUNTED ? steps + Math.min(cost, MAX_CLASSES_COUNTED) * STEPS_TO_COMPILE : steps;
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
    const cost = classesCost(pattern);
    // One that was published before classes were limited is not compiled here.
    this.#size += cost > MAX_CLASSES_COST ? MAX_SIZE : compilePattern(pattern).size + cost;
  }

  /** Why the catalog cannot have this pattern as well; undefined if it can. Beyond the limits, none is compiled. */
  add(pattern: string): string | undefined {
    const cost = classesCost(pattern);
    if (cost > MAX_CLASSES_COST) return CLASSES_TOO_LARGE;
    if (this.#seen.has(pattern)) return undefined;
    if (this.#seen.size >= MAX_PATTERNS) return `exceeds the maximum of ${MAX_PATTERNS} patterns in a catalog`;
    if (this.#size > MAX_SIZE_TOGETHER) return TOO_LARGE_TOGETHER;
    // Compiling a pattern that is too large also takes long.
    if (this.#refused >= MAX_PROBLEMS) return 'was not checked: too many patterns are invalid';
    try {
      this.#size += compilePattern(pattern).size + cost;
    } catch (error) {
      this.#refused++;
      return `is not a pattern in RE2 syntax: ${messageOf(error)}`;
    }
    this.#seen.add(pattern);
    return this.#size > MAX_SIZE_TOGETHER ? TOO_LARGE_TOGETHER : undefined;
  }
}

const CLASSES_TOO_LARGE =
  'has too many or too large character classes: use fewer classes such as \\p{L}, and smaller ranges after (?i)';
const TOO_LARGE_TOGETHER =
  'makes the patterns of this catalog too large together: shorten the repeats in some, or let keys share one';
