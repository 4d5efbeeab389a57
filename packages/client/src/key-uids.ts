import { ownError } from './error.ts';
import type { OperationName } from './operation.ts';

export type KeyUid = { option_group_uid: string; option_key_uid: string };
type Listed = KeyUid & { option_group_name: string; name: string };

/** A name may be given to another key after it was renamed: what was learned longer ago than this is asked again. */
const FRESH_MS = 60_000;

/** The uids behind 'group.key', learned from every list of keys that comes by. */
export class KeyUids {
  readonly #known = new Map<string, KeyUid & { at: number }>();

  learn(keys: readonly Listed[]): void {
    for (const key of keys) {
      // Whatever answered: what is no key is nothing to learn from.
      const { option_group_uid, option_key_uid, option_group_name, name } = key ?? {};
      this.#known.set(`${option_group_name}.${name}`, { option_group_uid, option_key_uid, at: Date.now() });
    }
  }

  /** However many there are to be found, the catalog is read once; what tells of each of them. */
  async find(
    keys: readonly (string | KeyUid)[],
    operation: OperationName,
    list: () => Promise<unknown>,
  ): Promise<(key: string | KeyUid) => KeyUid> {
    const since = Date.now() - FRESH_MS;
    const known = (name: string): KeyUid | undefined => {
      const found = this.#known.get(name);
      return found && found.at > since ? found : undefined;
    };
    if (keys.some((key) => typeof key === 'string' && !known(key))) await list();
    return (key) => {
      const found = typeof key === 'string' ? known(key) : key;
      if (!found && typeof key === 'string') {
        throw ownError('unknown_key', `The catalog has no key "${key}".`, { operation });
      }
      // Whatever was given: what is no key is for the service to refuse.
      const { option_group_uid, option_key_uid } = found ?? ({} as KeyUid);
      return { option_group_uid, option_key_uid };
    };
  }
}
