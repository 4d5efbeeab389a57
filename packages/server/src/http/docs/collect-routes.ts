import type { FastifyInstance, FastifySchema } from 'fastify';

/** A route as it documents itself. */
export type DocumentedRoute = { method: string; path: string; schema: FastifySchema; oauthErrors: boolean };

/** Gathers the routes as they are added, except hidden ones and what goes without saying: HEAD and OPTIONS. Called before them. */
export function collectRoutes(app: FastifyInstance): readonly DocumentedRoute[] {
  const routes: DocumentedRoute[] = [];
  app.addHook('onRoute', ({ url, method, schema, config }) => {
    if (!schema || schema.hide) return;
    for (const name of [method].flat()) {
      if (name === 'HEAD' || name === 'OPTIONS') continue;
      routes.push({ method: name, path: url, schema, oauthErrors: config?.oauthErrors ?? false });
    }
  });
  return routes;
}
