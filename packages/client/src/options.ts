import type { AnyCatalog, GroupName, HeldValueOf, KeyName, KeyOf, Language, ValueOf } from './catalog.ts';
import type { components } from './generated.ts';
import { withInnkeeperErrors } from './innkeeper-errors.ts';
import { type KeyUid, KeyUids } from './key-uids.ts';
import type { OperationName } from './operation.ts';
import { Pages } from './pages.ts';
import type { AnyInput, Requests } from './request.ts';

type Schemas = components['schemas'];
export type OptionGroup = Schemas['OptionGroup'];
export type OptionKey = Schemas['OptionKey'];
export type UserOption = Schemas['UserOption'];
export type UserOptionEvent = Schemas['UserOptionEvent'];
/** A user's value: what was saved, or (with `effective`) the key's default. */
export type Selection = UserOption | Schemas['DefaultOption'];

const PAGE = 200;
const RECORD = '/api/user_options/{user_options_uid}';
type OwnPath = '/api/user_options' | typeof RECORD | `${typeof RECORD}/${'history' | 'receipt'}`;

export type Scalar = boolean | string | number;
export type Value = Scalar | readonly Scalar[];
type Call = {
  signal?: AbortSignal | undefined;
  /** The service_user_code that the access token must belong to: another user's token is refused with 1007. */
  userUid?: string | undefined;
};
/**
 * Done only if the record still has this `etag`, else 1014 with `body.current`; null: only if there is no record yet.
 */
type IfMatch = { ifMatch?: string | null | undefined };
/** `shownIn`: the language of the texts that the user saw, for the receipt; the default is that of the client. */
type Shown = { shownIn?: string | undefined };
/** `keepalive`: the request outlives the page. */
type Saving = Call & IfMatch & Shown & { keepalive?: boolean | undefined };
type InLanguage<C extends AnyCatalog> = Call & { language?: Language<C> | undefined };
type OfGroup<C extends AnyCatalog> = InLanguage<C> & { group?: GroupName<C> | undefined };

/** Option groups, their keys, and one user's selections. */
export type OptionsClient<C extends AnyCatalog = AnyCatalog> = {
  groups(wanted?: InLanguage<C>): Pages<OptionGroup>;
  group(optionGroupUid: string, wanted?: InLanguage<C>): Promise<OptionGroup>;
  /** The keys of one group, or of all. */
  keys(wanted?: OfGroup<C>): Pages<OptionKey>;
  key(optionKeyUid: string, wanted?: InLanguage<C>): Promise<OptionKey>;
  save<N extends KeyName<C>>(name: N, value: ValueOf<C, N>, how?: InLanguage<C> & Saving): Promise<UserOption>;
  /** @deprecated This value is retired: only users who already have it may keep it. */
  save<N extends KeyName<C>>(name: N, value: HeldValueOf<C, N>, how?: InLanguage<C> & Saving): Promise<UserOption>;
  /** Saves a key as it was listed, with any value: for forms that work with any catalog. */
  save(key: KeyUid, value: Value, how?: InLanguage<C> & Saving): Promise<UserOption>;
  /** Changes the current list of a key with several values: two pages that each add one both succeed. */
  change<N extends KeyName<C>>(
    name: N,
    change: ListChange<KeyOf<C, N>>,
    how?: InLanguage<C> & Saving,
  ): Promise<UserOption>;
  change(key: KeyUid, change: ListChange, how?: InLanguage<C> & Saving): Promise<UserOption>;
  /** Saves all or none; `ifMatch` has the etag of each record that must not have changed. */
  saveAll(values: { [N in KeyName<C>]?: ValueOf<C, N> }, how?: SavingAll<C>): Promise<UserOption[]>;
  /** @deprecated One of these values is retired: only users who already have it may keep it. */
  saveAll(values: { [N in KeyName<C>]?: HeldValueOf<C, N> }, how?: SavingAll<C>): Promise<UserOption[]>;
  selections(wanted?: OfGroup<C> & { effective?: boolean | undefined }): Pages<Selection>;
  selection(userOptionsUid: string, wanted?: InLanguage<C>): Promise<UserOption>;
  /** Its changes, newest first. */
  history(userOptionsUid: string, wanted?: Call): Pages<UserOptionEvent>;
  /** A signed statement of its last save (a compact JWS): who, what, the texts shown, when and how. */
  receipt(userOptionsUid: string, wanted?: Call): Promise<string>;
  /** Resets to the default. */
  unset(userOptionsUid: string, how?: Saving): Promise<void>;
};

type SavingAll<C extends AnyCatalog> = InLanguage<C> & Shown & { ifMatch?: { [N in KeyName<C>]?: string } | undefined };
type ListChange<K extends { value: Scalar; retired: Scalar } = { value: Scalar; retired: Scalar }> = {
  add?: readonly K['value'][] | undefined;
  remove?: readonly (K['value'] | K['retired'])[] | undefined;
};

/** How a call identifies the user: by headers, or by `user_uid` together with the application's credentials. */
type User = { headers: Record<string, string>; user_uid?: string | undefined };
export type AsUser = <T>(
  wanted: { operation: OperationName; signal: AbortSignal | undefined },
  call: (user: User) => Promise<T>,
) => Promise<T>;

export function makeOptionsClient<C extends AnyCatalog>(
  { get, post, put, delete: remove }: Requests,
  { asUser, language: usual, uids = new KeyUids() }: { asUser: AsUser; language: string | undefined; uids?: KeyUids },
): OptionsClient<C> {
  const find = (keys: readonly (string | KeyUid)[], { operation, signal }: Parameters<AsUser>[0]) =>
    uids.find(keys, operation, () => client.keys({ signal }).all());

  const readOwn = (of: OwnPath, { path, query, due, signal, userUid }: Call & Omit<AnyInput, 'headers'>) =>
    asUser({ operation: `get ${of}`, signal }, async ({ headers, user_uid = userUid }) => {
      const wanted = { path, query: { ...query, user_uid }, headers, signal, due };
      return (await get(of, wanted as never)).data;
    });

  const saveOne = async (of: string | KeyUid, choice: object, how: InLanguage<C> & Saving = {}) => {
    const { language, signal, ifMatch, keepalive, userUid, shownIn = usual } = how;
    const wanted = { operation: 'post /api/user_options', signal } as const;
    const option = { ...(await find([of], wanted))(of), ...choice, ...(language && { language }) };
    return asUser(wanted, async ({ headers, user_uid = userUid }) => {
      const body = { ...option, ...(user_uid && { user_uid }) };
      const sent = { body, headers, signal, ifMatch, keepalive, shownIn, repeatable: true, due: 'user_options_uid' };
      return (await post('/api/user_options', sent)).data;
    });
  };

  const client = {
    groups: ({ language = usual, signal }: InLanguage<C> = {}) =>
      new Pages<OptionGroup>(async (place) => {
        const query = { ...place, limit: PAGE, language };
        return (await get('/api/option_groups', { query, signal, due: 'items' })).data;
      }),

    async group(option_group_uid: string, { language = usual, signal }: InLanguage<C> = {}) {
      const wanted = { path: { option_group_uid }, query: { language }, signal, due: 'option_group_uid' };
      return (await get('/api/option_groups/{option_group_uid}', wanted)).data;
    },

    keys: ({ language = usual, group, signal }: OfGroup<C> = {}) =>
      new Pages<OptionKey>(async (place) => {
        const query = { ...place, limit: PAGE, language, option_group_name: group };
        const { data } = await get('/api/option_keys', { query, signal, due: 'items' });
        if (Array.isArray(data.items)) uids.learn(data.items);
        return data;
      }),

    async key(option_key_uid: string, { language = usual, signal }: InLanguage<C> = {}) {
      const wanted = { path: { option_key_uid }, query: { language }, signal, due: 'option_key_uid' };
      return (await get('/api/option_keys/{option_key_uid}', wanted)).data;
    },

    save: (of: string | KeyUid, value: Value, how?: InLanguage<C> & Saving) =>
      saveOne(of, { value: listOf(value) }, how),

    change: (of: string | KeyUid, { add = [], remove = [] }: ListChange, how?: InLanguage<C> & Saving) =>
      saveOne(of, { add, remove }, how),

    async saveAll(
      values: Record<string, Value>,
      { language, signal, ifMatch = {}, shownIn = usual }: SavingAll<AnyCatalog> = {},
    ) {
      const wanted = { operation: 'put /api/user_options', signal } as const;
      const uidOf = await find(Object.keys(values), wanted);
      const options = Object.entries(values).map(([name, value]) => ({
        ...uidOf(name),
        value: listOf(value),
        ...(ifMatch[name as never] !== undefined && { if_match: ifMatch[name as never] }),
        ...(language && { language }),
      }));
      return asUser(wanted, async ({ headers, user_uid }) => {
        const body = { options, ...(user_uid && { user_uid }) };
        const sent = { body, headers, signal, shownIn, repeatable: true, due: 'items' };
        return (await put('/api/user_options', sent)).data.items;
      });
    },

    selections: ({
      group,
      effective,
      language = usual,
      ...call
    }: OfGroup<C> & { effective?: boolean | undefined } = {}) =>
      new Pages<Selection>((place) => {
        const query = { ...place, limit: PAGE, language, option_group_name: group, effective };
        return readOwn('/api/user_options', { ...call, query, due: 'items' });
      }),

    selection: (user_options_uid: string, { language = usual, ...call }: InLanguage<C> = {}) =>
      readOwn(RECORD, { ...call, path: { user_options_uid }, query: { language }, due: 'user_options_uid' }),

    history: (user_options_uid: string, call?: Call) =>
      new Pages<UserOptionEvent>((place) => {
        const query = { ...place, limit: PAGE };
        return readOwn(`${RECORD}/history`, { ...call, path: { user_options_uid }, query, due: 'items' });
      }),

    receipt: (user_options_uid: string, call?: Call) =>
      readOwn(`${RECORD}/receipt`, { ...call, path: { user_options_uid } }),

    unset: (user_options_uid: string, { signal, ifMatch, keepalive, userUid }: Saving = {}) =>
      asUser({ operation: `delete ${RECORD}`, signal }, async ({ headers, user_uid = userUid }) => {
        const which = {
          path: { user_options_uid },
          query: { user_uid },
          headers,
          signal,
          ifMatch,
          keepalive,
          due: null,
        };
        await remove(RECORD, which);
      }),
  };
  return client as OptionsClient<C>;
}

const listOf = (value: Value): Scalar[] => [value].flat();

/** The selection of a key. Found only by UID: names change, and another key may have the name today. */
export function selectionOf<S extends Selection>(key: OptionKey, selections: readonly S[]): S | undefined {
  return withInnkeeperErrors(() => selections.find((each) => each?.option_key_uid === key.option_key_uid));
}
