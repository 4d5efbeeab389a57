import type { ActCall } from '../port.ts';
import { accounts } from './accounts.ts';
import { activity, audit, requestLog } from './activity-and-audit.ts';
import { applications } from './applications.ts';
import { drafts, textStates } from './drafts.ts';
import { invitations } from './invitations.ts';
import { manageTokens } from './manage-tokens.ts';
import { members } from './members.ts';
import { facts, sealed, signingKeys } from './service-state.ts';
import { secondFactors, sessions } from './sessions.ts';
import { type Act, type AnyStore, type Binding, type BoundStore, bindStore } from './store.ts';
import { deliveries, webhooks } from './webhooks.ts';

const STORES = {
  ...{ facts, signingKeys, sealed, members, secondFactors, accounts, sessions, invitations, manageTokens, webhooks },
  ...{ drafts, textStates },
  // Each database implements the rest of these: the frequent acts.
  ...{ applications, audit, activity, requestLog, deliveries },
};
type Stores = typeof STORES;

export type CommonStores = { [Name in keyof Stores]: BoundStore<Stores[Name]> };

export function commonStore<Name extends keyof Stores>(name: Name, binding: Binding): CommonStores[Name] {
  return bindStore(name, STORES[name], binding) as CommonStores[Name];
}

export function commonStores(binding: Binding): CommonStores {
  const names = Object.keys(STORES) as (keyof Stores)[];
  return Object.fromEntries(names.map((name) => [name, commonStore(name, binding)])) as CommonStores;
}

export function performCommonAct(act: Act, { store, act: name, args }: ActCall): Promise<unknown> {
  const perform = (STORES as Partial<Record<string, AnyStore>>)[store]?.acts[name];
  if (!perform) throw new Error(`There is no act ${store}.${name} for both databases.`);
  return (perform as (act: Act, ...args: unknown[]) => Promise<unknown>)(act, ...args);
}
