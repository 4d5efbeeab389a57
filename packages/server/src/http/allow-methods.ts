import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { InnkeeperError } from '../domain/errors.ts';
import { GET_ACCESS_TOKEN_PATH } from './users/get-access-token.ts';

/**
 * Gives every path an answer to every method: 405 with Allow where the method is not taken, and for
 * get-access-token what SPEC.md asks for, 0010. Called before the routes; finish() after them.
 */
export function allowMethods(app: FastifyInstance): { finish(): void } {
  const taken = new Map<string, Set<string>>();
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method, { hasBody: true });
  }
  app.addHook('onRoute', ({ url, method }) => {
    const methods = taken.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    taken.set(url, methods);
  });

  return {
    finish() {
      for (const [url, methods] of [...taken]) {
        const allow = [...methods].join(', ');
        const error = url === GET_ACCESS_TOKEN_PATH ? 'onlyPost' : 'methodNotAllowed';
        const refuse = async () => {
          throw new InnkeeperError(error, { headers: { allow } });
        };
        const others = app.supportedMethods.filter((method) => !methods.has(method));
        // Before the body is read: the method is wrong whatever it holds.
        app.route({
          method: others,
          url,
          exposeHeadRoute: false,
          schema: { hide: true },
          onRequest: refuse,
          handler: refuse,
        });
      }
    },
  };
}
