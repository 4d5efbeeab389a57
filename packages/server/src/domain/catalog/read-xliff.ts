import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { PlacedProblem } from './source.ts';
import { MAX_TEXTS, type ReadTexts, type TextEntry, tooManyTexts, withinLimits } from './texts-file.ts';

/** 2.0 and 2.1 share one. */
const NAMESPACES = ['urn:oasis:names:tc:xliff:document:2.0', 'urn:oasis:names:tc:xliff:document:2.2'];
/** Maximum nesting of groups: no tool comes near it, and each level makes the next slower to read. */
const MAX_DEPTH = 64;
/** Maximum attributes of one element, including those of modules. */
const MAX_ATTRIBUTES = 100;
/** Elements that a tool may put around parts of a text without changing it. */
const TRANSPARENT = ['mrk', 'sm', 'em'];

/** Reads XLIFF 2 as translation tools return it. Document types are refused, so there are no entities but XML's own. */
export function readTextsXliff(text: string): ReadTexts {
  const reader = new XliffReader();
  return reader.read(text.startsWith('\ufeff') ? text.slice(1) : text);
}

/** Stops reading. */
class Unreadable extends Error {}

/** A tool may split a text into segments, which are joined again. */
type Unit = { path: string; source: string; target: string; translated: number; untranslated: number; line: number };

class XliffReader {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #entries: TextEntry[] = [];
  readonly #problems: PlacedProblem[] = [];
  #language = '';
  #stamp: string | undefined;
  #unit: Unit | undefined;
  #segment: { source: string; target: string | undefined } | undefined;
  /** Which text is being read; a `source` or `target` elsewhere, in a module's element, is ignored. */
  #reading: 'source' | 'target' | undefined;
  #open: string[] = [];
  #attributes = 0;

  read(text: string): ReadTexts {
    const parser = this.#parser;
    parser.on('error', (error) => this.#stop(error.message.replace(/^\d+:\d+: /, '')));
    parser.on('doctype', () => this.#stop('has a document type declaration, which is not supported'));
    parser.on('opentagstart', () => (this.#attributes = 0));
    parser.on('attribute', () => {
      if (++this.#attributes > MAX_ATTRIBUTES) this.#stop('has an element with too many attributes');
    });
    parser.on('opentag', (tag) => this.#openTag(tag));
    parser.on('closetag', (tag) => this.#closeTag(tag));
    parser.on('text', (part) => this.#addText(part));
    parser.on('cdata', (part) => this.#addText(part));
    try {
      parser.write(text).close();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
    if (this.#problems.length > 0) return { problems: this.#problems };
    return { file: { ...(this.#stamp !== undefined && { stamp: this.#stamp }), entries: this.#entries } };
  }

  #report(message: string): void {
    const { line, column } = this.#parser;
    this.#problems.push({ line, column: column + 1, path: '', message });
  }

  #stop(message: string): never {
    this.#report(message);
    throw new Unreadable(message);
  }

  #openTag(tag: SaxesTagNS): void {
    const isOurs = NAMESPACES.includes(tag.uri);
    if (this.#open.length > MAX_DEPTH) this.#stop('is nested too deeply');
    if (this.#open.length === 0) this.#openRoot(tag, isOurs);
    const parent = this.#open.at(-1);
    this.#open.push(isOurs ? tag.local : '');
    if (!isOurs) {
      if (this.#reading) this.#stop(`<${tag.name}> cannot be part of a text here`);
      return;
    }
    if (this.#reading) this.#openInline(tag);
    else if (tag.local === 'file') this.#stamp ??= tag.attributes.original?.value;
    else if (tag.local === 'unit') this.#openUnit(tag);
    else if (tag.local === 'segment' || tag.local === 'ignorable') this.#segment = { source: '', target: undefined };
    else if (tag.local === 'source' || tag.local === 'target') {
      if (parent === 'segment' || parent === 'ignorable') this.#reading = tag.local;
    }
  }

  #openRoot(tag: SaxesTagNS, isOurs: boolean): void {
    const version = tag.attributes.version?.value ?? '';
    if (tag.local === 'xliff' && !isOurs) this.#stop(`is XLIFF ${version}: only XLIFF 2 is supported`);
    if (tag.local !== 'xliff') this.#stop('is not XLIFF');
    const language = tag.attributes.trgLang?.value;
    if (language === undefined) this.#stop('has no trgLang: add the target language');
    this.#language = language;
  }

  #openUnit(tag: SaxesTagNS): void {
    const path = tag.attributes.name?.value;
    if (path === undefined) this.#report('<unit> has no name: what does it translate?');
    const { line } = this.#parser;
    this.#unit = { path: path ?? '', source: '', target: '', translated: 0, untranslated: 0, line };
  }

  #openInline(tag: SaxesTagNS): void {
    if (TRANSPARENT.includes(tag.local)) return;
    const code = tag.local === 'cp' ? Number.parseInt(tag.attributes.hex?.value ?? '', 16) : Number.NaN;
    if (!(code >= 0 && code <= 0x10ffff)) this.#stop(`<${tag.name}> cannot be part of a text here`);
    this.#addText(String.fromCodePoint(code));
  }

  #addText(part: string): void {
    if (!this.#segment || !this.#reading) return;
    this.#segment[this.#reading] = (this.#segment[this.#reading] ?? '') + part;
  }

  #closeTag(tag: SaxesTagNS): void {
    const name = this.#open.pop();
    if (name === 'source' || name === 'target') this.#reading = undefined;
    else if (name === 'segment' || name === 'ignorable') this.#closeSegment(tag.local === 'ignorable');
    else if (name === 'unit') this.#closeUnit();
  }

  #closeSegment(isIgnorable: boolean): void {
    const [unit, segment] = [this.#unit, this.#segment];
    this.#segment = undefined;
    if (!unit || !segment) return;
    unit.source += segment.source;
    // Text between segments stays as it is, unless it was translated too.
    const target = isIgnorable ? (segment.target ?? segment.source) : segment.target;
    unit.target += target ?? '';
    if (!isIgnorable) unit[target ? 'translated' : 'untranslated'] += 1;
  }

  #closeUnit(): void {
    const unit = this.#unit;
    this.#unit = undefined;
    if (!unit || unit.translated === 0) return;
    const { path, source, target, line } = unit;
    if (unit.untranslated > 0) this.#report(`"${path.slice(0, 1_000)}" is only partly translated`);
    else if (this.#entries.length >= MAX_TEXTS) this.#stop(tooManyTexts);
    else this.#entries.push(withinLimits({ path, language: this.#language, text: target, source, line }));
  }
}
