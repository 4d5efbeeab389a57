import type { Routes } from '../server/routes.ts';

const HEADERS =
  'apiKey, Authorization, Content-Type, Accept-Language, If-Match, If-None-Match, Last-Event-ID, X-Request-Id';

/**
 * CORS for area B. A preflight has no apiKey, so every origin is allowed: a page with a wrong apiKey must be able to
 * read the error (1001, 1002). The actual request is checked against its application's list.
 */
export function preflightRoute(app: Routes, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].join(', ');
  app.options(url, { schema: { hide: true } }, async (request, reply) => {
    const { origin } = request.headers;
    reply.header('allow', allow);
    if (origin !== undefined) {
      reply
        .header('access-control-allow-origin', '*')
        .header('access-control-allow-methods', allow)
        .header('access-control-allow-headers', HEADERS)
        .header('access-control-max-age', '600');
    }
    return reply.code(204).send();
  });
}
