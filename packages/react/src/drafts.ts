import type { OptionKey } from '@innkeeper/client';

/** A field in which something is typed or chosen that nobody has sent. */
export type Draft = {
  key: OptionKey;
  /** The form that sends it when it is submitted; undefined: it is sent when the field is left. */
  form: object | undefined;
  commit(): void;
};

/** All drafts below a provider. */
export function createDrafts() {
  const drafts = new Set<Draft>();
  const listeners = new Set<() => void>();
  const tell = () => {
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
      tell();
      return () => {
        drafts.delete(draft);
        tell();
      };
    },
    keys: (): OptionKey[] => [...drafts].map(({ key }) => key),
    /** Those of a form, or those that wait for no form. */
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
 * Does it when no pointer is down: a message that appears between press and release would move what is being clicked away from
 * under the pointer.
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
  // Of the window alone: that of a field comes between press and release.
  addEventListener('blur', released);
}
