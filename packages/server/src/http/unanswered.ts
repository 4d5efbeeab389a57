import type { FastifyInstance } from 'fastify';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { InnkeeperError } from '../domain/errors.ts';
import { GET_ACCESS_TOKEN_PATH } from './users/get-access-token.ts';

/** Any method serves to find a path: each is entered once, under this one. */
const ENTRY: HTTPMethod = 'GET';

/**
 * What to answer a request that no route takes: 405 with Allow where the path is known and the method is
 * not, 0010 where SPEC.md asks for it, 404 otherwise. To be called before the routes are entered.
 */
export function watchRoutes(
  app: FastifyInstance,
  maxParamLength: number,
): (request: { url: string }) => InnkeeperError {
  const paths = createRouter({ maxParamLength });
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    let methods = methodsOf.get(url);
    if (!methods) {
      methods = new Set();
      methodsOf.set(url, methods);
      paths.on(ENTRY, url, () => {}, { url });
    }
    for (const name of [method].flat()) methods.add(name);
  });

  return ({ url }) => {
    const found = paths.find(ENTRY, url.split('?', 1)[0] as string);
    if (!found) return new InnkeeperError('pathUnknown');
    const known = (found.store as { url: string }).url;
    const error = known === GET_ACCESS_TOKEN_PATH ? 'onlyPost' : 'methodNotAllowed';
    return new InnkeeperError(error, { headers: { allow: [...(methodsOf.get(known) ?? [])].join(', ') } });
  };
}
