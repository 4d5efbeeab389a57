import type { OptionKey } from '@innkeeper/client';

/** A field with unsent input. */
export type Draft = {
  key: OptionKey;
  /** The form that sends it on submit; undefined: it is sent when the field loses focus. */
  form: object | undefined;
  commit(): void;
};

/** All drafts below a provider. */
export function createDrafts() {
  const drafts = new Set<Draft>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    add(draft: Draft) {
      drafts.add(draft);
      notify();
      return () => {
        drafts.delete(draft);
        notify();
      };
    },
    keys: (): OptionKey[] => [...drafts].map(({ key }) => key),
    /** Sends the drafts of a form, or those that belong to no form. */
    commit(form: object | undefined) {
      for (const draft of [...drafts]) if (draft.form === form) draft.commit();
    },
  };
}

export type Drafts = ReturnType<typeof createDrafts>;

let isPressed = false;
let isWatching = false;
const queue: (() => void)[] = [];

/**
 * Runs the act when no pointer is down: a message that appears between press and release would move the click target
 * away.
 */
export function afterPointer(act: () => void): void {
  if (isPressed) queue.push(act);
  else act();
}

export function watchPointer(): void {
  if (isWatching) return;
  isWatching = true;
  const released = () => {
    isPressed = false;
    // The click comes after the release.
    setTimeout(() => {
      for (const act of queue.splice(0)) act();
    });
  };
  addEventListener(
    'pointerdown',
    () => {
      isPressed = true;
    },
    true,
  );
  for (const end of ['pointerup', 'pointercancel', 'dragend']) addEventListener(end, released, true);
  // Only the window's: a field's blur comes between press and release.
  addEventListener('blur', released);
}
