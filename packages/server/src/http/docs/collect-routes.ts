import type { Route, RouteSchema } from '../server/routes.ts';

/** A route as it documents itself. */
export type DocumentedRoute = { method: string; path: string; schema: RouteSchema; oauthErrors: boolean };

/** All but the hidden ones and what goes without saying: HEAD and OPTIONS. */
export function documentedRoutes(routes: readonly Route[]): DocumentedRoute[] {
  return routes.flatMap(({ method, path, schema, oauthErrors = false }) =>
    schema.hide || method === 'OPTIONS' ? [] : [{ method, path, schema, oauthErrors }],
  );
}
