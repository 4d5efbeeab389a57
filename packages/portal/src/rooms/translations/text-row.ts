/** One thing that is shown to people, with its texts: a row of the grid. A change makes a new one of it. */
export type TextRow = {
  path: string;
  kind: 'group' | 'key' | 'value';
  /** As the catalog calls it. */
  name: string;
  /** The path of its group. */
  group: string;
  /** What it belongs to, in words; empty for a group. */
  parent: string;
  texts: Readonly<Record<string, string>>;
  /** By tag, what is not as the service has it. */
  marks: Readonly<Record<string, Mark>> | undefined;
};

/** What became of a text that was typed: on its way, refused for what it is, or changed by somebody else meanwhile. */
export type Mark =
  | { phase: 'waiting' | 'saving' }
  | { phase: 'refused'; message: string }
  | { phase: 'conflict'; theirs: string | null };

/** `isLocked`: shown, and not theirs to change. */
export type Language = { name: string; tag: string; isDefault: boolean; isLocked?: boolean };

/** The path is `group`, `group/key` or `group/key=value`; in names, `/`, `=` and `%` are written as in a URL. */
export function toRow({ path, texts }: { path: string; texts: Record<string, string> }): TextRow {
  const [group = '', rest] = splitAt(path, '/');
  const [key, value] = rest === undefined ? [] : splitAt(rest, '=');
  const name = decode(value ?? key ?? group);
  const parent = [group, ...(value === undefined ? [] : [key as string])].map(decode).join(' › ');
  return {
    path,
    kind: value !== undefined ? 'value' : key !== undefined ? 'key' : 'group',
    name,
    group,
    parent: key === undefined ? '' : parent,
    texts,
    marks: undefined,
  };
}

function splitAt(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** What to translate: the text of the default language, or the name. */
export function sourceOf({ texts, name }: TextRow, languages: readonly Language[]): string {
  const tag = languages.find(({ isDefault }) => isDefault)?.tag;
  return (tag === undefined ? undefined : texts[tag]) ?? name;
}

/** In the default language nothing is missing: names stand in. */
export function isMissing({ texts }: TextRow, { tag, isDefault }: Language): boolean {
  return !isDefault && texts[tag] === undefined;
}

const RIGHT_TO_LEFT =
  /^(ar|arc|ckb|dv|fa|ha-Arab|he|khw|ks|ku-Arab|pa-Arab|ps|sd|ug|ur|yi)\b|-(Arab|Hebr|Thaa|Syrc|Nkoo|Adlm)\b/i;

/** Which way a text of this language runs, before there is one to tell by. */
export function directionOf(tag: string): 'rtl' | 'ltr' {
  return RIGHT_TO_LEFT.test(tag) ? 'rtl' : 'ltr';
}
