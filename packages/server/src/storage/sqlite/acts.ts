import { performAudited } from '../audited-storage.ts';
import type { ActCall, Authorship } from '../port.ts';
import type { Connection } from './connection.ts';
import { type PlainActs, plainActs } from './plain-acts.ts';
import { sqliteStores } from './stores.ts';
import { type SurveyReads, surveyReads } from './surveys.ts';

export type Acts = PlainActs & { audited(by: Authorship, call: ActCall): Promise<unknown> };
export type ActName = keyof Acts;

/** Everything that writes, by name. Each runs whole inside a transaction that the writer opens and commits. */
export function createActs(connection: Connection): Acts {
  const acts = plainActs(connection);
  const surveys = surveyReads(connection);
  const stores = sqliteStores(
    (makeReads) => makeReads(connection),
    (name, ...args) => call(acts[name], args) as Promise<Awaited<ReturnType<PlainActs[typeof name]>>>,
    (name, ...args) => call(surveys[name], args) as Promise<ReturnType<SurveyReads[typeof name]>>,
  );
  return { ...acts, audited: (by, act) => performAudited(stores, by, act) };
}

async function call(act: unknown, args: unknown[]): Promise<unknown> {
  return (act as (...args: unknown[]) => unknown)(...args);
}
