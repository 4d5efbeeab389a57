import type { ActCall, Change, Credential } from '../port.ts';

/** Statements use the part of PostgreSQL's dialect that can be translated for SQLite: docs/decisions/0070. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The transaction of an act. */
export type Act = {
  query: Query;
  /** For a change to something that replicas cache, as the last statement. */
  logChange(subject: Change['subject'], appId: number | null): Promise<void>;
};

type Given<First, Port> = Port extends (...args: infer Args) => infer Outcome
  ? (first: First, ...args: Args) => Outcome
  : never;

/** A store of the port, or a part of it, written once for both databases. Each act is one transaction. */
export type CommonStore<Port, Read extends keyof Port> = {
  reads: { [Name in Read]: Given<Query, Port[Name]> };
  acts: { [Name in Exclude<keyof Port, Read>]: Given<Act, Port[Name]> };
};

type Functions = Record<string, (...args: never[]) => unknown>;
export type AnyStore = { reads: Functions; acts: Functions };

type Bound<Given> = {
  [Name in keyof Given]: Given[Name] extends (first: never, ...args: infer Args) => infer Outcome
    ? (...args: Args) => Outcome
    : never;
};
export type BoundStore<Store extends AnyStore> = Bound<Store['reads']> & Bound<Store['acts']>;

/** How a database runs them. */
export type Binding = {
  reads<Reads extends object>(make: (query: Query) => Reads): Reads;
  act(call: ActCall): Promise<unknown>;
};

/** BoundStore is its type. */
export function bindStore(name: ActCall['store'], store: AnyStore, { reads, act }: Binding): object {
  const acts = mapFunctions(
    store.acts,
    (actName) =>
      (...args: unknown[]) =>
        act({ store: name, act: actName, args }),
  );
  const bound = reads((query) =>
    mapFunctions(
      store.reads,
      (_, read) =>
        (...args: unknown[]) =>
          read(query, ...args),
    ),
  );
  return { ...bound, ...acts };
}

type AnyFunction = (...args: unknown[]) => unknown;

function mapFunctions(functions: Functions, map: (name: string, each: AnyFunction) => AnyFunction): object {
  return Object.fromEntries(Object.entries(functions).map(([name, each]) => [name, map(name, each as AnyFunction)]));
}

/**
 * Joins the conditions whose value is defined. Each `?` becomes the number of its parameter; a condition without `?`
 * uses its value only to be included.
 */
export function conditions(given: readonly (readonly [condition: string, value: unknown])[]): {
  where: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const used = given.flatMap(([condition, value]) => {
    if (value === undefined || value === null || value === false) return [];
    if (condition.includes('?')) values.push(value);
    return [condition.replaceAll('?', `$${values.length}`)];
  });
  return { where: used.join(' and '), values };
}

/** Whether it exists; acts that lock it run one after the other. "No key": users can still be created. */
export async function lockApplication(query: Query, appId: number): Promise<boolean> {
  const rows = await query('select app_id from applications where app_id = $1 for no key update', [appId]);
  return rows.length > 0;
}

/** Whether it exists, and keeps it until the act is done. */
export async function keepApplication(query: Query, appId: number): Promise<boolean> {
  return (await query('select app_id from applications where app_id = $1 for key share', [appId])).length > 0;
}

/** Whether it exists, and keeps it until the act is done. */
export async function keepAccount(query: Query, accountId: string): Promise<boolean> {
  return (await query('select role from accounts where account_id = $1::uuid for key share', [accountId])).length > 0;
}

/** Whether the account and what it acts with exist. No new password and no reset ends them until the act is done. */
export async function keepCredential(query: Query, accountId: string, credential?: Credential): Promise<boolean> {
  // Waits for one in progress: the next statement sees what it ended.
  const found = await query('select role from accounts where account_id = $1::uuid for share', [accountId]);
  if (found.length === 0 || credential === undefined) return found.length > 0;
  const [table, column, id] =
    'sessionId' in credential
      ? ['sessions', 'session_id', credential.sessionId]
      : ['manage_tokens', 'token_id', credential.tokenId];
  const text = `select ${column} from ${table} where ${column} = $1::uuid and account_id = $2::uuid`;
  return (await query(text, [id, accountId])).length > 0;
}

/**
 * Hashes are stored as bytes: half the size of their text, in every index. Anything else is rejected, because Buffer
 * silently stops at the first invalid digit.
 */
export function toBytes(hex: string): Buffer {
  return Buffer.from(checkedHex(hex), 'hex');
}

/** Unchanged, for acts that are sent to PostgreSQL as JSON. */
export function checkedHex(hex: string): string {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw new TypeError('A hash is bytes in lower-case hex.');
  return hex;
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
