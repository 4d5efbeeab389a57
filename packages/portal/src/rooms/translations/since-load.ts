import { spotOf } from './sheet-state.ts';
import type { TextState } from './text-row.ts';

type Spot = { id: string; tag: string };

/** A text as it was marked. */
export type ReviewedText = Spot & { text: string; state: TextState | undefined };
export type SavedText = Spot & { text: string | null; before: ReadonlySet<string | null> };

/** Texts saved and reviewed since a load was requested: its response may be older than they are. */
export class SinceLoad {
  #saved = new Map<string, SavedText>();
  readonly reviewed: ReviewedText[] = [];

  get saved(): Iterable<SavedText> {
    return this.#saved.values();
  }

  addSaved({ was, text, ...spot }: Spot & { was: string | null; text: string | null }): void {
    const before = new Set(this.#saved.get(spotOf(spot))?.before).add(was);
    this.#saved.set(spotOf(spot), { ...spot, text, before });
  }
}
