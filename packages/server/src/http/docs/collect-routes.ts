import type { Route } from '../server/routes.ts';

/** A route as it documents itself. */
export type DocumentedRoute = Pick<Route, 'method' | 'path' | 'schema' | 'oauthErrors'>;

/** All but the hidden ones and what goes without saying: HEAD and OPTIONS. */
export function documentedRoutes(routes: readonly Route[]): DocumentedRoute[] {
  return routes.filter(({ method, schema }) => !schema.hide && method !== 'OPTIONS');
}
