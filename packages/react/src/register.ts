import type { AnyCatalog, GroupName, HeldValueOf, KeyName, Value } from '@innkeeper/client';

/**
 * The catalog of your application, registered once:
 * `declare module '@innkeeper/react' { interface Register { catalog: Catalog } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: merged with the page's own declaration
export interface Register {}

type Registered = Register extends { catalog: infer C extends AnyCatalog } ? C : AnyCatalog;

export type OptionName = KeyName<Registered>;
export type OptionGroupName = GroupName<Registered>;
export type OptionValue<N extends OptionName> = Value & HeldValueOf<Registered, N>;
