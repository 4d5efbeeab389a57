import type { Application } from '../../domain/applications/application.ts';
import { allowsOrigin } from '../../domain/applications/settings.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';

/** Without an application there is no list of origins. Let any page read the error instead of a CORS failure. */
const FOR_ANY_PAGE = { 'access-control-allow-origin': '*' };

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
