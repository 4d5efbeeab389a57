import { useSyncExternalStore } from 'react';

/** A yes-or-no state of the whole service that pages follow. */
export class Flag {
  #isSet: boolean;
  readonly #listeners = new Set<() => void>();

  constructor(isSet = false) {
    this.#isSet = isSet;
  }

  set(isSet: boolean): void {
    if (isSet === this.#isSet) return;
    this.#isSet = isSet;
    for (const listener of this.#listeners) listener();
  }

  readonly use = (): boolean => useSyncExternalStore(this.#follow, () => this.#isSet);

  readonly #follow = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
