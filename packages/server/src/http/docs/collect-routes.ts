import type { Route } from '../server/routes.ts';
import type { Examples, OperationExample } from './examples.ts';

/** A route as it documents itself. */
export type DocumentedRoute = Pick<Route, 'method' | 'path' | 'schema' | 'oauthErrors'> & {
  examples: Record<string, OperationExample>;
};

/** All but the hidden ones and what goes without saying: HEAD and OPTIONS. */
export function documentedRoutes(routes: readonly Route[], examples: Examples): DocumentedRoute[] {
  return routes
    .filter(({ method, schema }) => !schema.hide && method !== 'OPTIONS')
    .map((route) => ({ ...route, examples: examples[route.schema.operationId ?? ''] ?? {} }));
}
