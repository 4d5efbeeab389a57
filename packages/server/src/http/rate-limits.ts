import type { FastifySchema } from 'fastify';
import type { Admit } from '../domain/applications/admit.ts';
import { InnkeeperError } from '../domain/errors.ts';
import type { Claim, Counted, Standing } from '../domain/limits/rate-limits.ts';
import type { Service } from '../domain/service.ts';
import type { Answering, Asked } from './asked.ts';
import { clientAddress, networkOf } from './client-address.ts';

/** Names and values in turn, as draft-ietf-httpapi-ratelimit-headers has them. */
export type LimitHeaders = ['ratelimit-policy', string, 'ratelimit', string];

export function limitHeaders(standings: readonly Standing[]): LimitHeaders {
  return [
    'ratelimit-policy',
    standings.map(({ claim: { name, limit } }) => `"${name}";q=${limit.quota};w=${limit.seconds}`).join(', '),
    'ratelimit',
    standings.map(({ claim: { name }, left, seconds }) => `"${name}";r=${left};t=${seconds}`).join(', '),
  ];
}

/** Whoever watches over the service has to hear of it while it is busy, too. */
export function isLimited(schema: FastifySchema | undefined): boolean {
  return !schema?.tags?.includes('operations');
}

/** Before anything else is looked at. Throws once the address has used up its requests. */
export function admitAddress({ limits }: Service, request: Asked, reply: Answering): void {
  if (!isLimited(request.routeOptions.schema)) return;
  admit(
    limits,
    limits.ofAddress(() => networkOf(clientAddress(request))),
    reply,
  );
}

/** To be called as soon as it is known whose request it is; for users, once that is proven: strangers use up nothing. */
export function admitting({ limits }: Service, counted: Counted, request: Asked, reply: Answering): Admit {
  const network = () => networkOf(clientAddress(request));
  return (application) => admit(limits, limits.ofApplication(application, counted, network), reply);
}

function admit(limits: Service['limits'], claims: readonly Claim[], reply: Answering): void {
  if (claims.length === 0) return;
  const { admitted, standings } = limits.admit(claims);
  const [policyName, policy, name, left] = limitHeaders(standings);
  reply.header(policyName, besides(reply, policyName, policy)).header(name, besides(reply, name, left));
  if (admitted) return;
  const wait = Math.max(...standings.map(({ seconds }) => seconds));
  throw new InnkeeperError('rateLimited', { headers: { 'retry-after': String(wait) } });
}

/** Those of the address are there before those of the application. */
function besides(reply: Answering, name: string, value: string): string {
  const earlier = reply.getHeader(name);
  return earlier === undefined ? value : `${earlier}, ${value}`;
}
