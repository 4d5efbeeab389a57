import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
  type YAMLError,
  YAMLParseError,
} from 'yaml';
import { isKeptExactly } from './check-value.ts';
import {
  MAX_DEPTH,
  MAX_PROBLEMS,
  type Place,
  type PlacedProblem,
  type ReadSource,
  type Spot,
  setOwn,
  showPath,
} from './source.ts';

type Path = readonly (string | number)[];

/** Maximum nodes after expanding aliases: a few lines of YAML can stand for billions. */
const MAX_NODES = 5_000_000;
/**
 * Reads YAML 1.2, in which `yes`, `on` and dates are strings. Refuses what JSON cannot express: tags, and keys that are
 * not strings.
 */
export function readYaml(text: string): ReadSource {
  const lineCounter = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const document = parse(text, lineCounter);
  if ('tooDeepAt' in document) {
    return { problems: [{ ...place(document.tooDeepAt), path: '', message: TOO_DEEP }] };
  }
  const complaints = [...document.errors, ...document.warnings];
  const tooDeep = complaints.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooDeep) return { problems: [explain(tooDeep, place)] };
  if (complaints.length > 0) {
    const problems = complaints.map((error) => explain(error, place));
    // What follows on the same line is a consequence of the first.
    return { problems: problems.filter(({ line }, at) => line !== problems[at - 1]?.line).slice(0, MAX_PROBLEMS) };
  }
  if (document.directives?.yaml.explicit && document.directives.yaml.version !== '1.2') {
    return {
      problems: [{ line: 1, column: 1, path: '', message: 'only YAML 1.2 is supported: remove the directive' }],
    };
  }

  const reader = new YamlReader(place);
  const data = reader.read(document.contents, []);
  const { problems } = reader;
  if (reader.isCut) return { problems };
  const locate = (spots: readonly Spot[]) => spots.map((spot) => place(reader.find(document.contents, spot)));
  return { flaws: problems, source: { data, locate } };
}

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Levels of the parser besides lists and mappings: the document, a scalar. */
const NO_LEVELS = 4;

/** Like the library's parseDocument, which would first build something nested a million deep and then report it. */
function parse(text: string, lineCounter: LineCounter): Document.Parsed | { tooDeepAt: number } {
  const parser = new Parser(lineCounter.addNewLine);
  lineCounter.addNewLine(0);
  let isTooDeep = false;
  let errors = 0;
  function* readTokens() {
    for (const lexeme of new Lexer().lex(text)) {
      for (const token of parser.next(lexeme)) {
        yield token;
        if (token.type === 'error') errors += 1;
      }
      // Of a file in another format, nearly every token is an error, which takes quadratic time.
      if (errors >= MAX_PROBLEMS) return;
      isTooDeep = parser.stack.length > MAX_DEPTH + NO_LEVELS;
      if (isTooDeep) return;
    }
    yield* parser.end();
  }
  // Repeated keys are checked below: here it would take quadratic time.
  const composer = new Composer({ uniqueKeys: false, stringKeys: true, prettyErrors: false });
  const [document, second] = composer.compose(readTokens(), true, text.length).take(2);
  if (isTooDeep) return { tooDeepAt: parser.offset };
  if (second) document?.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''));
  // With `true` above there is always one.
  return document as Document.Parsed;
}

/** The parser's message if it is about the file, or our own if it is about the parser. */
function explain({ code, message, pos }: YAMLError, place: (offset: number) => Place): PlacedProblem {
  const words: Partial<Record<typeof code, string>> = {
    MULTIPLE_DOCS: 'is a second document: a catalog file has only one',
    NON_STRING_KEY: 'is a name that is not a text',
    RESOURCE_EXHAUSTION: TOO_DEEP,
  };
  const own = message.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return { ...place(pos[0]), path: '', message: words[code] ?? own };
}

/** Converts nodes to plain data, once each: an alias becomes the same object as its anchor. */
class YamlReader {
  readonly problems: PlacedProblem[] = [];
  readonly #place: (offset: number) => Place;
  /** The latest anchor of each name; `size` is undefined while it is being read. */
  readonly #anchors = new Map<string, { node: Node; data: unknown; size: number | undefined }>();
  readonly #targets = new Map<Alias, Node>();
  #size = 0;
  #isTooLarge = false;
  #isTooDeep = false;

  constructor(place: (offset: number) => Place) {
    this.#place = place;
  }

  /** Something was skipped, so the rest is of little use. */
  get isCut(): boolean {
    return this.#isTooLarge || this.#isTooDeep || this.problems.length >= MAX_PROBLEMS;
  }

  read(node: unknown, path: Path): unknown {
    this.#size += 1;
    if (this.#isTooLarge || this.problems.length >= MAX_PROBLEMS) return null;
    if (isAlias(node)) return this.#follow(node, path);
    if (path.length > MAX_DEPTH) {
      this.#isTooDeep = true;
      this.#report(node, path, TOO_DEEP);
      return null;
    }
    const anchor = (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor;
    if (!anchor) return this.#readPlain(node, path);
    const before = this.#size;
    const entry = { node: node as Node, data: null as unknown, size: undefined as number | undefined };
    this.#anchors.set(anchor, entry);
    entry.data = this.#readPlain(node, path);
    entry.size = this.#size - before;
    return entry.data;
  }

  #readPlain(node: unknown, path: Path): unknown {
    if (isScalar(node)) return this.#readScalar(node, path);
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, index]));
    if (!isMap(node)) return null;
    const data: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : undefined;
      if (name === undefined) this.#report(key, path, 'has a name that is not a string');
      else if (Object.hasOwn(data, name)) this.#report(key, [...path, name], 'is a duplicate');
      else setOwn(data, name, this.read(value, [...path, name]));
    }
    return data;
  }

  #readScalar(node: Scalar, path: Path): unknown {
    const { value, source } = node;
    if (typeof value !== 'number') return value;
    const isExact = /^0[xo]/i.test(source ?? '') ? Number.isSafeInteger(value) : isKeptExactly(source ?? String(value));
    if (!isExact) this.#report(node, path, `cannot be stored exactly: ${source} would become ${value}`);
    return value;
  }

  #follow(alias: Alias, path: Path): unknown {
    const anchor = this.#anchors.get(alias.source);
    if (!anchor) {
      this.#report(alias, path, `*${alias.source} refers to no earlier anchor`);
      return null;
    }
    if (anchor.size === undefined) {
      this.#report(alias, path, `*${alias.source} refers to an anchor that contains it`);
      return null;
    }
    this.#targets.set(alias, anchor.node);
    this.#size += anchor.size;
    if (this.#size > MAX_NODES) {
      this.#isTooLarge = true;
      this.#report(alias, path, 'makes the file too large: its aliases expand to more than the maximum');
      return null;
    }
    return anchor.data;
  }

  #report(node: unknown, path: Path, message: string): void {
    this.problems.push({ ...this.#place(offsetOf(node) ?? 0), path: showPath(path), message });
  }

  /** The offset of what a path leads to, or of the innermost existing part on the way. */
  find(root: unknown, { path, atName }: Spot): number {
    let [node, offset] = [root, offsetOf(root) ?? 0];
    for (const [index, part] of path.entries()) {
      if (isAlias(node)) node = this.#targets.get(node);
      if (isSeq(node)) {
        node = node.items[Number(part)];
      } else if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
        if (!pair) return offset;
        node = atName && index === path.length - 1 ? pair.key : (pair.value ?? pair.key);
      }
      offset = offsetOf(node) ?? offset;
    }
    return offset;
  }
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
