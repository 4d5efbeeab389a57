import type { Logger } from 'pino';
import { admitIdentity } from '../../domain/accounts/admit-attempt.ts';
import { type IdentityRefusal, signInByIdentity } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { IdentityProblem, type PendingSignIn } from '../../tokens/port.ts';
import { endSessionBefore, makeCookie, readCookie, sessionCookie } from '../manage/session-cookie.ts';
import type { HttpReply } from '../server/request-and-reply.ts';
import type { Routes } from '../server/routes.ts';

const CALLBACK = '/portal/oidc/callback';

/** Why the browser is sent back to the sign-in page, which explains it in the user's language. */
type Problem = IdentityRefusal | IdentityProblem['kind'] | 'expired' | 'busy' | 'off';

/** The two redirects of a sign-in with an OpenID provider. Every failure leads to a page of the portal. */
export function oidcSignInRoutes(app: Routes, service: Service, logger: Logger): void {
  const schema = { hide: true } as const;
  const redirectUri = (): string => service.publicUrl + CALLBACK;

  const sendBack = (reply: HttpReply, problem: Problem, next = ''): void => {
    const query = new URLSearchParams({ problem, ...(next && { next }) });
    reply.redirect(`${service.publicUrl}/portal/sign-in?${query}`, 303);
  };
  const guarded = async (reply: HttpReply, work: () => Promise<void>): Promise<HttpReply> => {
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    try {
      await work();
    } catch (error) {
      sendBack(reply, problemOf(error));
      if (error instanceof IdentityProblem && error.kind !== 'cancelled')
        logger.warn({ reason: error.message, problem: error.kind }, 'a sign-in with the OpenID provider failed');
    }
    return reply;
  };

  app.get('/portal/oidc/sign-in', { schema }, (request, reply) =>
    guarded(reply, async () => {
      if (!service.oidc) return sendBack(reply, 'off');
      const { url, pending } = await service.oidc.provider.begin(redirectUri());
      const next = new URLSearchParams(request.url.split('?')[1] ?? '').get('next') ?? '';
      const at = service.now();
      reply.header('set-cookie', pendingCookie(service.publicUrl, { ...pending, next: innerPath(next), at }));
      reply.redirect(url, 303);
    }),
  );

  app.get(CALLBACK, { schema }, (request, reply) =>
    guarded(reply, async () => {
      const { oidc, publicUrl } = service;
      if (!oidc) return sendBack(reply, 'off');
      const returned = new URLSearchParams(request.url.split('?')[1] ?? '');
      const pending = readPendingCookie(request.headers.cookie, publicUrl, service.now());
      if (!pending || returned.get('state') !== pending.state) return sendBack(reply, 'expired');
      // Recorded in the database: a state works once, across all replicas.
      if (!(await admitIdentity(service, pending.state, request.network))) return sendBack(reply, 'expired');
      const claims = await oidc.provider.finish(returned, pending, redirectUri());
      const visitor = { userAgent: request.headers['user-agent'] ?? '' };
      const outcome = await signInByIdentity(service, oidc.rules, claims, visitor);
      const next = innerPath(pending.next);
      if ('refused' in outcome) return sendBack(reply, outcome.refused, next);
      await endSessionBefore(service, request.headers.cookie);
      reply.header('set-cookie', sessionCookie(publicUrl, outcome.sessionToken));
      reply.redirect(`${publicUrl}/portal${next}`, 303);
    }),
  );
}

/** A path inside the portal, or none, to prevent open redirects. */
function innerPath(next: string): string {
  return /^\/(?![/\\])[^\\\p{Cc}]{0,500}$/u.test(next) ? encodeURI(decodeOnce(next)) : '';
}

/** Leaves what is already encoded unchanged. */
function decodeOnce(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '/';
  }
}

/** Our own failures go to the error handler, except those that the person can do something about. */
function problemOf(error: unknown): Problem {
  if (error instanceof IdentityProblem) return error.kind;
  if (error instanceof InnkeeperError && error.status === 429) return 'busy';
  throw error;
}

/** Stored next to the session cookie, in the browser that began to sign in. */
type PendingCookie = PendingSignIn & { next: string; at: number };

const NAME = 'innkeeper-oidc';
/** Enough for a password, a code and finding the phone. */
const LIFETIME_MS = 15 * 60_000;
const MAX_LENGTH = 2_000;

/** SameSite=Lax, because the provider's page leads back here. Its content is useless without what the provider sends. */
function pendingCookie(publicUrl: string, pending: PendingCookie): string {
  const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
  return makeCookie(publicUrl, { name: NAME, value, maxAge: LIFETIME_MS / 1000, sameSite: 'Lax' });
}

function readPendingCookie(header: string | undefined, publicUrl: string, now: number): PendingCookie | undefined {
  const value = readCookie(header, publicUrl, NAME);
  if (value === undefined || value.length > MAX_LENGTH) return undefined;
  try {
    const read = JSON.parse(Buffer.from(value, 'base64url').toString()) as Partial<
      Record<keyof PendingCookie, unknown>
    >;
    const { state, nonce, verifier, next, at } = read;
    const texts = [state, nonce, verifier, next];
    if (!texts.every((each) => typeof each === 'string') || typeof at !== 'number') return undefined;
    return Math.abs(now - at) <= LIFETIME_MS ? (read as PendingCookie) : undefined;
  } catch {
    return undefined;
  }
}
