export type { AccessToken, AnyCatalog, OptionGroup, OptionKey, Selection } from '@innkeeper/client';
export type { Choice, ControlName } from './control-of.ts';
export { DEFAULT_PARTS } from './default-parts.tsx';
export { type Selections, useOptionGroups, useOptionKeys, useSelections } from './hooks.ts';
export { OptionsForm, type OptionsFormProps } from './options-form.tsx';
export type { ControlProps, FieldPartProps, FormPartProps, MessagePartProps, Parts, StatusPartProps } from './parts.ts';
export { InnkeeperProvider, type InnkeeperProviderProps } from './provider.tsx';
export { optionGroupsQuery, optionKeysQuery, scopeOf, selectionsQuery } from './queries.ts';
export type { Texts } from './texts.ts';
