/** One item with its texts: a row of the grid. A change creates a new object. */
export type TextRow = {
  /** Stays the same when the item or its group gets another name. */
  id: string;
  path: string;
  kind: 'group' | 'key' | 'value';
  /** The catalog's name for it. */
  name: string;
  /** The path of its group. */
  group: string;
  /** What it belongs to, in words; empty for a group. */
  parent: string;
  texts: Readonly<Record<string, string>>;
  /** As loaded: the states refer to these texts and their source. */
  loaded: { texts: Readonly<Record<string, string>>; states: Readonly<Record<string, TextState>> };
  /** By tag: the row's texts when this one was typed or reviewed here. */
  since:
    | Readonly<Record<string, { texts: Readonly<Record<string, string>>; state: TextState | undefined }>>
    | undefined;
  /** By tag: texts that differ from the service's. */
  marks: Readonly<Record<string, Mark>> | undefined;
};

/** Outdated: made for an earlier source. Neither: translated, but not reviewed. */
export type TextState = 'outdated' | 'reviewed';

/** The state of a typed text: in flight, refused, or changed by someone else meanwhile. */
export type Mark =
  | { phase: 'waiting' | 'saving' }
  | { phase: 'refused'; message: string }
  | { phase: 'conflict'; theirs: string | null };

/** `isLocked`: visible, but not theirs to change. */
export type Language = { name: string; tag: string; isDefault: boolean; isLocked?: boolean };

const DESCRIPTION = '//description';

/** The path is `group`, `group/key` or `group/key=value`, the UID that of the group or key; in names, `/`, `=` and `%` are escaped as in a URL. */
type ListedText = {
  path: string;
  uid: string;
  texts: Record<string, string>;
  outdated?: string[];
  reviewed?: string[];
};

export function toRow({ path, uid, texts, outdated = [], reviewed = [] }: ListedText): TextRow {
  const [group = '', rest] = splitAt(path, '/');
  const [key, value] = rest === undefined ? [] : splitAt(rest, '=');
  const name = decode(value ?? key ?? group);
  const parent = [group, ...(value === undefined ? [] : [key as string])].map(decode).join(' › ');
  const suffix = value !== undefined ? `=${value}` : path.endsWith(DESCRIPTION) ? DESCRIPTION : '';
  return {
    id: uid + suffix,
    path,
    kind: value !== undefined ? 'value' : key !== undefined ? 'key' : 'group',
    name,
    group,
    parent: key === undefined ? '' : parent,
    texts,
    loaded: {
      texts,
      states: Object.fromEntries([
        ...outdated.map((tag) => [tag, 'outdated'] as const),
        ...reviewed.map((tag) => [tag, 'reviewed'] as const),
      ]),
    },
    since: undefined,
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

/** What to translate: the text in the default language, or the name. */
export function sourceOf({ texts, name }: TextRow, languages: readonly Language[]): string {
  const tag = defaultTag(languages);
  return (tag === undefined ? undefined : texts[tag]) ?? name;
}

/** Nothing is missing in the default language: names stand in. */
export function isMissing({ texts }: TextRow, { tag, isDefault }: Language): boolean {
  return !isDefault && texts[tag] === undefined;
}

/** `from`: the tag of the default language. */
export function stateOf(row: TextRow, { tag, isDefault }: Language, from: string | undefined): TextState | undefined {
  const text = row.texts[tag];
  if (isDefault || from === undefined || text === undefined) return undefined;
  const own = row.since?.[tag];
  const isOwn = own?.texts[tag] === text;
  const { texts, state } = isOwn ? own : { texts: row.loaded.texts, state: row.loaded.states[tag] };
  if (texts[tag] !== text) return undefined;
  if (texts[from] === row.texts[from]) return state;
  // A name that stood in was not a source.
  return texts[from] === undefined ? undefined : 'outdated';
}

/** What people filter by in a language. */
export type TextIssue = 'missing' | 'outdated' | 'unreviewed';

export function hasIssue(row: TextRow, language: Language, issue: TextIssue, from: string | undefined): boolean {
  if (issue === 'missing') return isMissing(row, language);
  if (language.isDefault || row.texts[language.tag] === undefined) return false;
  const state = stateOf(row, language, from);
  return issue === 'outdated' ? state === 'outdated' : state !== 'reviewed';
}

export function defaultTag(languages: readonly Language[]): string | undefined {
  return languages.find(({ isDefault }) => isDefault)?.tag;
}

const RIGHT_TO_LEFT =
  /^(ar|arc|ckb|dv|fa|ha-Arab|he|khw|ks|ku-Arab|pa-Arab|ps|sd|ug|ur|yi)\b|-(Arab|Hebr|Thaa|Syrc|Nkoo|Adlm)\b/i;

/** The writing direction of a language, for when there is no text yet. */
export function directionOf(tag: string): 'rtl' | 'ltr' {
  return RIGHT_TO_LEFT.test(tag) ? 'rtl' : 'ltr';
}
