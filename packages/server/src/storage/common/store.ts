import type { ActCall, Change } from '../port.ts';

/** Statements are in PostgreSQL's dialect, as far as SQLite can be given them too: docs/decisions/0070. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The transaction of an act. */
export type Act = {
  query: Query;
  /** For a change to something that replicas hold in memory, after everything else. */
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

/** How a database carries them out. */
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
