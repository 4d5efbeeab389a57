import type { KeptTexts } from './sheet.ts';
import type { SentText } from './sheet-state.ts';

/**
 * In the browser's local storage, by application and account; saved texts are removed. Each page has a slot of its own,
 * and a lock for as long as it is open: another page adopts the texts of a slot when its lock is free.
 */
export function keptTexts(clientId: string, email: string): KeptTexts {
  const [names, typedNames] = [`innkeeper-texts ${clientId} ${email}`, `innkeeper-typed ${clientId} ${email}`];
  const own = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  const name = `${names} ${own}`;
  // Separate, because it is written at every keystroke.
  const typed = `${typedNames} ${own}`;
  const waitedFor = new Set([name]);
  // Browsers offer no locks to pages without TLS. Then a page adopts the texts of open pages too: what both save becomes a conflict.
  const { locks } = navigator as { locks?: LockManager };
  void locks?.request(name, () => new Promise(() => {}));

  const adopt = (slot: string, take: (texts: readonly SentText[]) => void) => {
    waitedFor.delete(slot);
    const slotTyped = slot.replace(names, typedNames);
    const texts = [...readTexts(slot), ...readTexts(slotTyped)];
    if (texts.length === 0) return;
    // What was being typed is newer than a text of the same cell.
    take([...new Map(texts.map((text) => [`${text.tag} ${text.path}`, text])).values()]);
    // They are in the slot of this page now.
    for (const done of [slot, slotTyped]) writeTexts(done, []);
  };
  return {
    adopt(take) {
      for (const slot of slotsOf(names, typedNames)) {
        if (waitedFor.has(slot)) continue;
        waitedFor.add(slot);
        if (locks) void locks.request(slot, () => adopt(slot, take));
        else adopt(slot, take);
      }
    },
    write: (texts) => writeTexts(name, texts),
    type: (text) => writeTexts(typed, text ? [text] : []),
  };
}

/** The slots of all pages, by the name of their unsaved texts. */
function slotsOf(names: string, typedNames: string): Set<string> {
  try {
    const all = Object.keys(localStorage).map((each) => each.replace(typedNames, names));
    return new Set(all.filter((each) => each === names || each.startsWith(`${names} `)));
  } catch {
    return new Set();
  }
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
  const { id, path, tag, text, was } = (value ?? {}) as Record<string, unknown>;
  const isNullable = (each: unknown) => each === null || typeof each === 'string';
  return [id, path, tag].every((each) => typeof each === 'string') && isNullable(text) && isNullable(was);
}
