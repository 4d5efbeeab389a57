export type { AccessToken } from './access-token.ts';
export type { AnyCatalog, CatalogKey, GroupName, HeldValueOf, KeyName, KeyOf, Language, ValueOf } from './catalog.ts';
export { createOptionsClient, type OptionsClientOptions, type PageClient } from './create-options-client.ts';
export { type ErrorOf, type FieldProblem, InnkeeperError, isInnkeeperError, type OwnCode } from './error.ts';
export type { OperationName } from './operation.ts';
export {
  type OptionGroup,
  type OptionKey,
  type OptionsClient,
  type Scalar,
  type Selection,
  selectionOf,
  type UserOption,
  type UserOptionEvent,
  type Value,
} from './options.ts';
export type { Pages } from './pages.ts';
export type { Source } from './selection-change.ts';
export type { OptionState } from './selection-entry.ts';
export {
  type CatalogState,
  createSelectionStore,
  type SelectionStore,
  type StoreData,
  type StoreOptions,
} from './selection-store.ts';
export type { WatchEvent } from './watch-stream.ts';
