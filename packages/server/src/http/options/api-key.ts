import type { Application } from '../../domain/applications/application.ts';
import { allowsOrigin } from '../../domain/applications/settings.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';

/** Without an application there is no list of origins. Let any page read the error instead of a CORS failure. */
export const FOR_ANY_PAGE = { 'access-control-allow-origin': '*' };

/** The application by the apiKey header, its clientId. It is public: it identifies and never authorizes. */
export async function identifyApplication(
  service: Service,
  request: HttpRequest,
  reply: HttpReply,
): Promise<Application> {
  const known = peekApplication(service, request, reply);
  if (known) return known;
  // It may have been created a moment ago.
  await service.applications.findByClientId(request.headers.apikey as string);
  const application = peekApplication(service, request, reply);
  if (!application) throw new InnkeeperError('apiKeyUnknown', { headers: FOR_ANY_PAGE });
  return application;
}

/** The same without waiting; undefined if this process has not loaded the application yet. */
export function peekApplication(service: Service, request: HttpRequest, reply: HttpReply): Application | undefined {
  const { apikey, origin } = request.headers;
  if (typeof apikey !== 'string' || apikey === '') throw new InnkeeperError('apiKeyMissing', { headers: FOR_ANY_PAGE });
  const application = service.applications.peek(apikey);
  if (!application) return undefined;
  request.about = { appId: application.appId };
  if (origin !== undefined && allowsOrigin(application.settings, origin)) allowOrigin(reply, origin);
  request.admission.admitApplication(application, 'options');
  return application;
}

/** Pages on the application's own origins may read responses, errors included. */
export function allowOrigin(reply: HttpReply, origin: string): void {
  reply
    .header('access-control-allow-origin', origin)
    .header(
      'access-control-expose-headers',
      'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
    );
}

const HEADERS =
  'apiKey, Authorization, Content-Type, Accept-Language, If-Match, If-None-Match, Last-Event-ID, X-Request-Id';

/**
 * CORS for the options API. A preflight has no apiKey, so every origin is allowed: a page with a wrong apiKey must be able to
 * read the error (1001, 1002). The actual request is checked against its application's list.
 */
export function preflightRoutes(app: Routes): void {
  const ofPages = app.all.filter(({ schema }) => schema.tags?.includes('options'));
  for (const [path, routes] of Map.groupBy(ofPages, (route) => route.path)) {
    const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method));
    const allow = [...methods, 'OPTIONS'].join(', ');
    app.options(path, { schema: { hide: true } }, async (request, reply) => {
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
}
