import type { FastifyInstance } from 'fastify';
import { whyNoEmail } from '../../domain/accounts/account.ts';
import { kindOfLink } from '../../domain/accounts/links.ts';
import { signIn } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { authorizeManager } from '../../domain/manage/authorize-manager.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import { SignedInShape, viewSignedIn } from './account-views.ts';
import { SIGNED_IN } from './examples.ts';
import { readMembers, refuse } from './input.ts';
import { entranceRoute } from './manage-route.ts';
import { readSessionCookie, sessionCookie } from './session-cookie.ts';

const schema = {
  operationId: 'createSession',
  summary: 'Sign in to the portal with a one-time link',
  description:
    'Spends the link and answers with the cookie of a new session. For the page of the portal: it has to come from there, with the header X-Innkeeper-Portal: 1.',
  headers: Type.Object({ 'X-Innkeeper-Portal': Type.String({ description: 'always 1' }) }),
  body: Type.Object({
    token: Type.String({ description: 'what follows # in the link' }),
    email: Type.Optional(Type.String({ description: 'with a set-up link: the address of the first account' })),
  }),
  response: { 201: SignedInShape },
  answerHeaders: { 'Set-Cookie': 'the session: HttpOnly, SameSite=Strict, and Secure where there is HTTPS' },
  errors: ['linkInvalid'] as const,
  examples: {
    withLink: {
      summary: 'With a sign-in link',
      headers: { 'X-Innkeeper-Portal': '1' },
      body: { token: EXAMPLE.linkToken },
      status: 201,
      answer: SIGNED_IN,
    },
  },
};

export function signInRoute(app: FastifyInstance, service: Service): void {
  const operation = { method: 'POST', path: '/session', schema } as const;
  entranceRoute(app, service, operation, async ({ request, reply, readBody }) => {
    const { token, email } = readMembers(readBody(), ['token', 'email']);
    if (typeof token !== 'string') throw refuse('token', 'must be the text that follows # in the link');
    const kind = kindOfLink(token);
    if (kind === undefined) throw new InnkeeperError('linkInvalid');
    const problem = kind === 'set-up' ? whyNoEmail(email) : undefined;
    if (problem !== undefined) throw refuse('email', problem);
    if (kind === 'sign-in' && email !== undefined) throw refuse('email', 'is for a set-up link alone');
    const { headers } = request;
    const userAgent = headers['user-agent'] ?? '';
    const signedIn = await signIn(service, { token, email: email as string | undefined, userAgent });
    await endSessionBefore(service, readSessionCookie(headers.cookie, service.publicUrl));
    reply.code(201).header('set-cookie', sessionCookie(service.publicUrl, signedIn.sessionToken));
    return viewSignedIn(signedIn);
  });
}

/** The browser forgets the session it had: nobody could end it from there any more. */
async function endSessionBefore(service: Service, session: string | undefined): Promise<void> {
  if (session === undefined) return;
  try {
    const { signedIn } = await authorizeManager(service, { session });
    if (signedIn) await service.storage.sessions.end(signedIn.account.accountId, signedIn.session.sessionId);
  } catch (error) {
    if (!(error instanceof InnkeeperError)) throw error;
  }
}
