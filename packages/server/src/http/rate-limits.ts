import type { Standing } from '../domain/limits/rate-limits.ts';
import type { HttpReply } from './server/reply.ts';
import type { RouteSchema } from './server/routes.ts';

/** The headers of draft-ietf-httpapi-ratelimit-headers: those of the address before those of the application. */
export function addLimitHeaders(reply: HttpReply, standings: readonly Standing[]): void {
  if (standings.length === 0) return;
  const policies = standings.map(({ claim: { name, limit } }) => `"${name}";q=${limit.quota};w=${limit.seconds}`);
  const left = standings.map(({ claim: { name }, left, seconds }) => `"${name}";r=${left};t=${seconds}`);
  reply.header('ratelimit-policy', policies.join(', ')).header('ratelimit', left.join(', '));
}

/** Monitoring must reach a busy service. */
export function isLimited(schema: RouteSchema | undefined): boolean {
  return !schema?.tags?.includes('operations');
}
