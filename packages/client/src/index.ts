export type { AnyCatalog, CatalogKey, GroupName, HeldValueOf, KeyName, KeyOf, Language, ValueOf } from './catalog.ts';
