import type { Route } from '../server/routes.ts';
import type { Examples, OperationExample } from './examples.ts';

/** A route with its documentation. */
export type DocumentedRoute = Pick<Route, 'method' | 'path' | 'schema' | 'oauthErrors'> & {
  examples: Record<string, OperationExample>;
};

/** All but hidden routes and the implied HEAD and OPTIONS. */
export function documentedRoutes(routes: readonly Route[], examples: Examples): DocumentedRoute[] {
  return routes
    .filter(({ method, schema }) => !schema.hide && method !== 'OPTIONS')
    .map((route) => ({ ...route, examples: examples[route.schema.operationId ?? ''] ?? {} }));
}
