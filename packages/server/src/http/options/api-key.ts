import type { Application } from '../../domain/applications/application.ts';
import { allowsOrigin } from '../../domain/applications/settings.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import type { HttpReply } from '../server/reply.ts';
import type { HttpRequest } from '../server/request.ts';

/** The application of the header apiKey: its clientId, public, which identifies and never authorises. */
export async function identifyApplication(
  service: Service,
  request: HttpRequest,
  reply: HttpReply,
): Promise<Application> {
  const apiKey = request.headers.apikey;
  if (typeof apiKey !== 'string' || apiKey === '') throw new InnkeeperError('apiKeyMissing');
  const application = await service.applications.findByClientId(apiKey);
  if (!application) throw new InnkeeperError('apiKeyUnknown');
  request.about = { appId: application.appId };
  const { origin } = request.headers;
  if (origin !== undefined && allowsOrigin(application.settings, origin)) allowOrigin(reply, origin);
  request.admission.admitApplication(application, 'options');
  return application;
}

/** Pages on the application's own origins may read answers, also those that refuse. */
export function allowOrigin(reply: HttpReply, origin: string): void {
  const [allow, allowed, expose, exposed] = corsHeaders(origin);
  reply.header(allow, allowed).header(expose, exposed);
}

export function corsHeaders(origin: string): [string, string, string, string] {
  return [
    'access-control-allow-origin',
    origin,
    'access-control-expose-headers',
    'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  ];
}
