import type { KeptTexts, SentText } from './sheet.ts';

/** In the browser's own store, by application and account; what is saved is taken out of it. */
export function keptTexts(clientId: string, email: string): KeptTexts {
  const name = `innkeeper-texts ${clientId} ${email}`;
  return {
    read() {
      try {
        const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '[]');
        return Array.isArray(kept) ? kept.filter(isText) : [];
      } catch {
        return [];
      }
    },
    write(texts) {
      try {
        if (texts.length === 0) localStorage.removeItem(name);
        else localStorage.setItem(name, JSON.stringify(texts));
      } catch {
        // Full, or not allowed: then they are kept by this page alone.
      }
    },
  };
}

function isText(value: unknown): value is SentText {
  const { path, tag, text, was } = (value ?? {}) as Record<string, unknown>;
  const isNullable = (each: unknown) => each === null || typeof each === 'string';
  return typeof path === 'string' && typeof tag === 'string' && isNullable(text) && isNullable(was);
}
