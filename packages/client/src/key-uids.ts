import { ownError } from './error.ts';
import type { OperationName } from './operation.ts';

export type KeyUid = { option_group_uid: string; option_key_uid: string };
type Wanted = { signal: AbortSignal | undefined; operation: OperationName };
type Listed = KeyUid & { option_group_name: string; name: string };

/** A name may be given to another key after it was renamed: what was learned longer ago than this is asked again. */
const FRESH_MS = 60_000;

/** The uids behind 'group.key', learned from every list of keys that comes by. */
export class KeyUids {
  readonly #known = new Map<string, KeyUid & { at: number }>();
  readonly #list: (signal: AbortSignal | undefined) => Promise<unknown>;

  constructor(list: (signal: AbortSignal | undefined) => Promise<unknown>) {
    this.#list = list;
  }

  learn(keys: readonly Listed[]): void {
    for (const key of keys) {
      // Whatever answered: what is no key is nothing to learn from.
      const { option_group_uid, option_key_uid, option_group_name, name } = key ?? {};
      this.#known.set(`${option_group_name}.${name}`, { option_group_uid, option_key_uid, at: Date.now() });
    }
  }

  async of(key: string | KeyUid, wanted: Wanted): Promise<KeyUid> {
    const found = typeof key === 'string' ? await this.#find(key, wanted) : key;
    // Whatever was given: what is no key is for the service to refuse.
    const { option_group_uid, option_key_uid } = found ?? {};
    return { option_group_uid, option_key_uid };
  }

  async #find(name: string, { signal, operation }: Wanted): Promise<KeyUid> {
    const known = this.#known.get(name);
    if (known && Date.now() - known.at < FRESH_MS) return known;
    this.#known.delete(name);
    await this.#list(signal);
    const found = this.#known.get(name);
    if (!found) throw ownError('unknown_key', `The catalog has no key "${name}".`, { operation });
    return found;
  }
}
