import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { allowOrigin } from './api-key.ts';

const HEADERS = 'apiKey, Authorization, Content-Type, Accept-Language, If-None-Match, X-Request-Id';

/**
 * CORS for area B. A preflight carries no apiKey, so it is answered for origins that any application
 * lets in; the request that follows is held to its own application's list.
 */
export function preflightRoute(app: Routes, service: Service, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].join(', ');
  app.options(url, { schema: { hide: true } }, async (request, reply) => {
    const { origin } = request.headers;
    reply.header('allow', allow).header('vary', 'Origin');
    if (origin !== undefined && service.applications.allowsOrigin(origin)) {
      allowOrigin(reply, origin);
      reply
        .header('access-control-allow-methods', allow)
        .header('access-control-allow-headers', HEADERS)
        .header('access-control-max-age', '600');
    }
    return reply.code(204).send();
  });
}
