import type { TreeLanguage } from '../../draft/queries.ts';
import { stable } from './key-form.ts';

/** An item as two people changed it, and as it was before. */
export type Three<T> = { base: T; mine: T; theirs: T };

/** A member that both changed differently: of the item itself or of one of its values, in one language or as a whole. */
export type FieldConflict = { value?: string; language?: string; member?: string; theirs: unknown; mine: unknown };

type Where = Pick<FieldConflict, 'value'>;
type Members = Record<string, unknown>;

/** Both changes merged. On conflict mine wins, and the conflict is reported. */
export function mergeItem<T extends object>({
  base,
  mine,
  theirs,
}: Three<T>): {
  merged: T;
  conflicts: FieldConflict[];
} {
  const conflicts: FieldConflict[] = [];
  const merged = mergeMembers({ base, mine, theirs } as unknown as Three<Members>, {}, conflicts);
  return { merged: merged as T, conflicts };
}

export function mergeLanguages(three: Three<readonly TreeLanguage[]>): {
  merged: TreeLanguage[];
  conflicts: FieldConflict[];
} {
  const conflicts: FieldConflict[] = [];
  const nameOf = ({ name, tag }: TreeLanguage) => ({ name, tag });
  const list = mergeList(
    each(three, (languages) => languages.map(nameOf)),
    ({ tag }) => tag,
    (items, tag) => mergeMembers(items, { value: tag }, conflicts) as TreeLanguage,
    (tag, sides) => conflicts.push({ value: tag, ...sides }),
  );
  const byDefault = each(three, (languages) => (languages.find((language) => language.default) ?? languages[0])?.tag);
  const chosen = pick(byDefault, (sides) => conflicts.push({ member: 'default', ...sides }));
  return { merged: list.map((each) => ({ ...each, ...(each.tag === chosen && { default: true }) })), conflicts };
}

function mergeMembers({ base, mine, theirs }: Three<Members>, where: Where, conflicts: FieldConflict[]): Members {
  const names = [...new Set([base, mine, theirs].flatMap(Object.keys))];
  const entries = names.map((name): [string, unknown] => {
    const three = { base: base[name], mine: mine[name], theirs: theirs[name] };
    const addConflict = (sides: { mine: unknown; theirs: unknown }) =>
      conflicts.push({ ...where, member: name, ...sides });
    if (name === 'translations' || name === 'descriptions')
      return [name, mergeTexts(three as Three<Members | undefined>, where, conflicts)];
    if (name === 'values' && Array.isArray(three.mine) && Array.isArray(three.theirs)) {
      return [name, mergeValues({ ...three, base: three.base ?? [] } as Three<unknown[]>, conflicts)];
    }
    return [name, pick(three, addConflict)];
  });
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** Language by language, so that people translating into different languages do not conflict. */
function mergeTexts(three: Three<Members | undefined>, where: Where, conflicts: FieldConflict[]): Members | undefined {
  const { base, mine, theirs } = each(three, (texts) => texts ?? {});
  const languages = [...new Set([base, mine, theirs].flatMap(Object.keys))];
  const entries = languages.map((language): [string, unknown] => {
    const texts = { base: base[language], mine: mine[language], theirs: theirs[language] };
    return [language, pick(texts, (sides) => conflicts.push({ ...where, language, ...sides }))];
  });
  const filled = entries.filter(([, text]) => text !== undefined && text !== '');
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

type Value = Members & { value: unknown };

function mergeValues(three: Three<unknown[]>, conflicts: FieldConflict[]): unknown[] {
  const merged = mergeList(
    each(three, (values) => values.map(toEntry)),
    ({ value }) => String(value),
    (items, value) => mergeMembers(items, { value }, conflicts) as Value,
    (value, sides) => conflicts.push({ value, ...sides }),
  );
  // A value without other members is written plainly.
  return merged.map((entry) => (Object.keys(entry).length === 1 ? entry.value : entry));
}

function toEntry(value: unknown): Value {
  return typeof value === 'object' ? (value as Value) : { value };
}

/** In the changed order; items the other side added come last, items it removed are gone. */
function mergeList<T extends object>(
  three: Three<readonly T[]>,
  idOf: (item: T) => string,
  merge: (items: Three<T & Members>, id: string) => T,
  addConflict: (id: string, sides: { mine: unknown; theirs: unknown }) => void,
): T[] {
  const { base, mine, theirs } = each(three, (items) => new Map(items.map((item) => [idOf(item), item])));
  const ids = pick(
    each({ base, mine, theirs }, (items) => [...items.keys()]),
    () => {},
  );
  const wanted = [...new Set([...ids, ...mine.keys(), ...theirs.keys()])];
  return wanted.flatMap((id) => {
    const [before, own, other] = [base.get(id), mine.get(id), theirs.get(id)];
    if (own && other) return [merge({ base: before ?? {}, mine: own, theirs: other } as Three<T & Members>, id)];
    if (!before) return [own ?? (other as T)];
    // A removal wins, unless the other side changed the item meanwhile.
    const kept = own ?? other;
    if (!kept || stable(kept) === stable(before)) return [];
    addConflict(id, { mine: own, theirs: other });
    return own ? [own] : [];
  });
}

/** If only one side changed it, that side wins. */
function pick<T>({ base, mine, theirs }: Three<T>, addConflict: (sides: { mine: T; theirs: T }) => void): T {
  const [was, own, other] = [stable(base), stable(mine), stable(theirs)];
  if (own === other || other === was) return mine;
  if (own === was) return theirs;
  addConflict({ mine, theirs });
  return mine;
}

function each<T, U>({ base, mine, theirs }: Three<T>, make: (one: T) => U): Three<U> {
  return { base: make(base), mine: make(mine), theirs: make(theirs) };
}
