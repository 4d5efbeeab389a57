import type { paths } from './generated.ts';

/** The types of operations, derived from docs/openapi.json in the form in which they are called. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];

type OperationOf<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never;

/** Optional members may also be undefined. */
type Loose<T> = { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] };

type Part<O, Name extends string> = O extends { parameters: infer All }
  ? All extends { [K in Name]: infer Given }
    ? { [K in Name]: Loose<Given> }
    : All extends { [K in Name]?: infer Given }
      ? [Exclude<Given, undefined>] extends [never]
        ? unknown
        : { [K in Name]?: Loose<Given> }
      : unknown
  : unknown;

type BodyOf<O> = O extends { requestBody: { content: infer C } }
  ? { body: C[keyof C] }
  : O extends { requestBody?: infer B }
    ? [Exclude<B, undefined>] extends [never]
      ? unknown
      : Exclude<B, undefined> extends { content: infer C }
        ? { body?: C[keyof C] }
        : unknown
    : unknown;

/** `path` and `query` by their names, `body`, and what any request can have. */
export type InputOf<P extends keyof paths, M extends Method> = Part<OperationOf<P, M>, 'path'> &
  Part<OperationOf<P, M>, 'query'> &
  BodyOf<OperationOf<P, M>> & {
    /** The ETag of the record to change; null: there must be none yet. */
    ifMatch?: string | null | undefined;
    /** The request outlives the page. */
    keepalive?: boolean | undefined;
    /** Name or tag of the language of the texts that the user saw. */
    shownIn?: string | undefined;
    signal?: AbortSignal | undefined;
    headers?: Record<string, string> | undefined;
    /**
     * Repeating it is harmless: it is retried after a 503, and with `keyed` also without a response. By default, only
     * reads are retried.
     */
    repeatable?: boolean | 'keyed' | undefined;
    /** A member that every response of the service has; null: it has no body at all. */
    due?: string | null | undefined;
  };

type Success = 200 | 201 | 202;

/** The clients ask for JSON where there is a choice. */
type ContentOf<R> = R extends { content: infer C }
  ? C extends { 'application/json': infer J }
    ? J
    : C[keyof C]
  : undefined;

export type OutputOf<P extends keyof paths, M extends Method> =
  OperationOf<P, M> extends { responses: infer R }
    ? Success & keyof R extends never
      ? undefined
      : { [S in Success & keyof R]: ContentOf<R[S]> }[Success & keyof R]
    : never;

/** Every operation by its method and path: 'post /api/user_options'. */
export type OperationName = { [M in Method]: `${M} ${PathsOf<M> & string}` }[Method];

type Named<O extends OperationName> = O extends `${infer M extends Method} ${infer P extends keyof paths & string}`
  ? OperationOf<P, M>
  : never;

type CodeOf<R> = R extends { content: { 'application/json': { code: infer C } } } ? C : never;

/** The errors that docs/openapi.json lists for an operation: each status with its codes. */
export type ErrorResponsesOf<O extends OperationName> =
  Named<O> extends { responses: infer R }
    ? {
        [S in keyof R & number]: [CodeOf<R[S]>] extends [never]
          ? never
          : { readonly status: S; readonly code: CodeOf<R[S]> };
      }[keyof R & number]
    : never;
