import { ownError } from './error.ts';
import type { OperationName } from './operation.ts';

export type KeyUid = { option_group_uid: string; option_key_uid: string };
type Listed = KeyUid & { option_group_name: string; name: string };

/** A renamed key's name may be given to another key: anything learned longer ago than this is looked up again. */
const FRESH_MS = 60_000;

/** The uids behind 'group.key', learned from every list of keys that is read. */
export class KeyUids {
  readonly #known = new Map<string, KeyUid & { at: number }>();

  learn(keys: readonly Listed[]): void {
    for (const key of keys) {
      // The response can be anything: ignore what is not a key.
      const { option_group_uid, option_key_uid, option_group_name, name } = key ?? {};
      this.#known.set(`${option_group_name}.${name}`, { option_group_uid, option_key_uid, at: Date.now() });
    }
  }

  /** Reads the catalog only once, however many are missing; returns the uids of each name. */
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
      // The input can be anything: the service refuses what is not a key.
      const { option_group_uid, option_key_uid } = found ?? ({} as KeyUid);
      return { option_group_uid, option_key_uid };
    };
  }
}
