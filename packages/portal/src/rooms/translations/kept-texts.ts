import type { KeptTexts } from './sheet.ts';
import type { SentText } from './sheet-state.ts';

/** In the browser's local storage, by application and account; saved texts are removed. */
export function keptTexts(clientId: string, email: string): KeptTexts {
  const name = `innkeeper-texts ${clientId} ${email}`;
  // Separate, because it is written at every keystroke.
  const typed = `innkeeper-typed ${clientId} ${email}`;
  return {
    read: () => [...readTexts(typed), ...readTexts(name)],
    write: (texts) => writeTexts(name, texts),
    type: (text) => writeTexts(typed, text ? [text] : []),
  };
}

function readTexts(name: string): SentText[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isText) : [];
  } catch {
    return [];
  }
}

function writeTexts(name: string, texts: readonly SentText[]): void {
  try {
    if (texts.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(texts));
  } catch {
    // Full, or not allowed: then only this page keeps them.
  }
}

function isText(value: unknown): value is SentText {
  const { path, tag, text, was } = (value ?? {}) as Record<string, unknown>;
  const isNullable = (each: unknown) => each === null || typeof each === 'string';
  return typeof path === 'string' && typeof tag === 'string' && isNullable(text) && isNullable(was);
}
