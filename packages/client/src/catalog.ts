/** What `innkeeper catalog types` writes for one key. `retired`: values kept only by users who already have them. */
export type CatalogKey = {
  type: 'boolean' | 'string' | 'integer' | 'number' | 'date';
  multiple: boolean;
  value: boolean | string | number;
  retired: boolean | string | number;
};

/** The form of the module that `innkeeper catalog types` writes: see README.md. */
export type AnyCatalog = {
  languages: string;
  groups: { [group: string]: { [key: string]: CatalogKey } };
};

export type Language<C extends AnyCatalog> = C['languages'];

export type GroupName<C extends AnyCatalog> = keyof C['groups'] & string;

/** Every key by its full name: 'notifications.channels'. */
export type KeyName<C extends AnyCatalog> = {
  [G in GroupName<C>]: `${G}.${keyof C['groups'][G] & string}`;
}[GroupName<C>];

/** The key with this full name. */
export type KeyOf<C extends AnyCatalog, N extends KeyName<C>> = {
  [G in GroupName<C>]: {
    [K in keyof C['groups'][G] & string]: N extends `${G}.${K}` ? C['groups'][G][K] : never;
  }[keyof C['groups'][G] & string];
}[GroupName<C>];

type Chosen<K extends CatalogKey, V> = K['multiple'] extends false
  ? V | readonly [V]
  : K['multiple'] extends true
    ? readonly V[]
    : V | readonly V[];

/** What may be saved for a key: an array if several values can be chosen, otherwise a single value. */
export type ValueOf<C extends AnyCatalog, N extends KeyName<C>> = Chosen<KeyOf<C, N>, KeyOf<C, N>['value']>;

/** The same for a user who may still have a retired value. */
export type HeldValueOf<C extends AnyCatalog, N extends KeyName<C>> = Chosen<
  KeyOf<C, N>,
  KeyOf<C, N>['value'] | KeyOf<C, N>['retired']
>;
