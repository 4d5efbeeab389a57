import { ownError } from './error.ts';
import { withInnkeeperErrors } from './innkeeper-errors.ts';

type Page<T> = { items: T[]; total?: number; offset?: number; next?: string | null };

/** Where a page begins: lists with a total use an offset, the others the item they continue after. */
export type Place = { offset?: number; after?: string };

/** A list that is read page by page while you iterate: `for await (const key of options.keys())`. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (place: Place) => Promise<unknown>;

  constructor(read: (place: Place) => Promise<unknown>) {
    this.#read = (place) => withInnkeeperErrors(() => read(place));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const seen = new Set<string>();
    for (let place: Place | undefined = {}; place; ) {
      // A list that leads back to an earlier page would never end.
      const here = JSON.stringify(place);
      if (seen.has(here)) throw garbled();
      seen.add(here);
      const page = (await this.#read(place)) as Partial<Page<T>> | undefined;
      if (!Array.isArray(page?.items)) throw garbled();
      // The response can be anything: ignore what is not an object.
      yield* page.items.filter((item) => item !== null && typeof item === 'object');
      place = nextPlace(page as Page<T>);
    }
  }

  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

const garbled = () => ownError('garbled', 'The response did not come from the service.');

function nextPlace({ items, total = 0, offset = 0, next }: Page<unknown>): Place | undefined {
  if (next) return { after: next };
  const seen = offset + items.length;
  return items.length > 0 && seen < total ? { offset: seen } : undefined;
}
