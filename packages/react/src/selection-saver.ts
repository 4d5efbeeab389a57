import {
  InnkeeperError,
  type OptionKey,
  type OptionsClient,
  type Scalar,
  type Selection,
  selectionOf,
  type UserOption,
} from '@innkeeper/client';
import type { Query, QueryClient } from '@tanstack/react-query';
import { optionKeysQuery, type Scope } from './queries.ts';

export type Value = Scalar | readonly Scalar[];

type How = Parameters<OptionsClient['save']>[2];
type KeyUid = Pick<OptionKey, 'option_group_uid' | 'option_key_uid'>;
type Underway = { count: number; confirmed: Selection | undefined; last: Promise<unknown> };

/**
 * Shows what is being saved as saved, in every list of selections, and puts back what the service has if it refuses.
 * One key after the other: what was chosen last is what is saved last.
 */
export class SelectionSaver {
  readonly #client: OptionsClient;
  readonly #queries: QueryClient;
  readonly #scope: Scope;
  readonly #underway = new Map<string, Underway>();

  constructor(client: OptionsClient, queries: QueryClient, scope: Scope) {
    this.#client = client;
    this.#queries = queries;
    this.#scope = scope;
  }

  save(key: OptionKey, value: Value, how?: How): Promise<UserOption> {
    return this.#run(key, provisional(key, value), () => this.#client.save(key, value, how));
  }

  /** By the whole name, 'group.key', or by its uids, as OptionsClient.save takes it. */
  async saveNamed(of: string | KeyUid, value: Value, how?: How): Promise<UserOption> {
    return this.save(await this.#keyOf(of), value, how);
  }

  /** The default holds again, if there is one. */
  unset(key: OptionKey): Promise<undefined> {
    const fallback = key.default_value === null ? undefined : provisional(key, key.default_value);
    return this.#run(
      key,
      fallback,
      async () => {
        const saved = this.#underway.get(key.option_key_uid)?.confirmed;
        if (saved?.user_options_uid) await this.#client.unset(saved.user_options_uid);
        return undefined;
      },
      fallback,
    );
  }

  async #run<T extends Selection | undefined>(
    key: OptionKey,
    shown: Selection | undefined,
    act: () => Promise<T>,
    after?: Selection,
  ): Promise<T> {
    const id = key.option_key_uid;
    const underway = this.#underway.get(id) ?? { count: 0, confirmed: this.#find(key), last: Promise.resolve() };
    this.#underway.set(id, underway);
    underway.count++;
    // What is being read again would be of before.
    void this.#queries.cancelQueries({ queryKey: [...this.#scope, 'selections'], predicate: isRead });
    this.#show(key, shown);
    const acting = underway.last.then(act, act);
    underway.last = acting;
    try {
      const saved = await acting;
      underway.confirmed = saved ?? after;
      return saved;
    } finally {
      underway.count--;
      if (underway.count === 0) {
        this.#underway.delete(id);
        this.#show(key, underway.confirmed);
        this.#showAfterFirstRead(key, underway.confirmed);
      }
    }
  }

  async #keyOf(of: string | KeyUid | OptionKey): Promise<OptionKey> {
    if (of && typeof of === 'object' && 'translations' in of) return of;
    const isMeant = (key: OptionKey) =>
      typeof of === 'string'
        ? `${key.option_group_name}.${key.name}` === of
        : key.option_key_uid === of?.option_key_uid;
    for (const [, list] of this.#queries.getQueriesData<OptionKey[]>({ queryKey: [...this.#scope, 'keys'] })) {
      const found = list?.find(isMeant);
      if (found) return found;
    }
    const found = (await this.#queries.fetchQuery(optionKeysQuery(this.#client, this.#scope))).find(isMeant);
    if (found) return found;
    const message = `The catalog has no key "${typeof of === 'string' ? of : of?.option_key_uid}".`;
    const operation = 'post /api/user_options';
    throw new InnkeeperError({ status: 0, operation, body: { code: 'unknown_key', message } });
  }

  #find(key: OptionKey): Selection | undefined {
    const lists = this.#queries.getQueriesData<Selection[]>({ queryKey: [...this.#scope, 'selections'] });
    for (const [, list] of lists) {
      const found = list && selectionOf(key, list);
      if (found) return found;
    }
    return undefined;
  }

  /** What is being read for the first time, in another language perhaps, may be of before as well. */
  #showAfterFirstRead(key: OptionKey, selection: Selection | undefined): void {
    const queryKey = [...this.#scope, 'selections'];
    for (const query of this.#queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
      const show = () => {
        if (!this.#underway.has(key.option_key_uid)) this.#show(key, selection);
      };
      query.promise?.then(show, () => {});
    }
  }

  #show(key: OptionKey, selection: Selection | undefined): void {
    this.#queries.setQueriesData<Selection[]>({ queryKey: [...this.#scope, 'selections'] }, (list) => {
      if (!list) return list;
      const before = selectionOf(key, list);
      if (!selection) return list.filter((each) => each !== before);
      return before ? list.map((each) => (each === before ? selection : each)) : [...list, selection];
    });
  }
}

const isRead = (query: Query) => query.state.data !== undefined;

/** What a record will hold, until the service has answered. */
function provisional(key: OptionKey, value: Value): Selection {
  const held = value && typeof value === 'object' ? [...value] : value;
  const scalar = Array.isArray(held) && !key.multiple ? (held[0] as Scalar) : held;
  return {
    user_options_uid: null,
    app_id: '',
    user_uid: '',
    option_group_uid: key.option_group_uid,
    option_key_uid: key.option_key_uid,
    group: { name: key.option_group_name, label: key.option_group_name, label_language: null, translations: [] },
    option: {
      name: key.name,
      label: key.label,
      label_language: key.label_language,
      value: scalar,
      value_label: Array.isArray(scalar) ? scalar.map(String) : String(scalar),
      translations: key.translations.map((each) => ({ ...each, value: scalar })),
    },
    created_at: null,
    updated_at: null,
    etag: null,
    is_default: true,
    source: 'default',
  };
}
