import type { AllowedValue, Texts } from './catalog.ts';

type Worded = { texts: Texts; descriptions: Texts; values?: AllowedValue[] | null };

/** Drops texts in other languages than these; returns the same object if there are none. */
export function cleanTexts<T extends Worded>(item: T, tags: ReadonlySet<string>): T {
  const texts = only(item.texts, tags);
  const descriptions = only(item.descriptions, tags);
  const values = item.values && cleanValues(item.values, tags);
  if (texts === item.texts && descriptions === item.descriptions && values === item.values) return item;
  return { ...item, texts, descriptions, ...(values && { values }) };
}

function cleanValues(values: AllowedValue[], tags: ReadonlySet<string>): AllowedValue[] {
  const cleaned = values.map((value) => {
    const texts = only(value.texts, tags);
    return texts === value.texts ? value : { ...value, texts };
  });
  return cleaned.every((value, index) => value === values[index]) ? values : cleaned;
}

function only(texts: Texts, tags: ReadonlySet<string>): Texts {
  const entries = Object.entries(texts);
  const kept = entries.filter(([tag]) => tags.has(tag));
  return kept.length === entries.length ? texts : Object.fromEntries(kept);
}
