import { whyNoEmail } from '../../domain/accounts/account.ts';
import { kindOfLink } from '../../domain/accounts/links.ts';
import { type SignedIn, setUp, signInByLink, signInByPassword, type Visitor } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { authorizeManager } from '../../domain/manage/authorize-manager.ts';
import { acceptInvitation } from '../../domain/members/accept-invitation.ts';
import type { Service } from '../../domain/service.ts';
import { type Static, Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { SignedInShape, viewSignedIn } from './account-views.ts';

import { refuse } from './input.ts';
import { entranceRoute } from './manage-route.ts';
import { TYPED } from './proof.ts';
import { endSessionBefore, sessionCookie } from './session-cookie.ts';

const schema = {
  operationId: 'createSession',
  summary: 'Sign in to the portal',
  description:
    'With e-mail address and password, and a code if two-step sign-in is on. Or with a one-time link: a sign-in link replaces the password; a set-up link creates the first account and an invitation the account it is for, both with a new password. ' +
    "Sets the cookie of a new session. Only for the portal's own page, with the header X-Innkeeper-Portal: 1.",
  headers: Type.Object({ 'X-Innkeeper-Portal': Type.String({ description: 'always 1' }) }),
  body: Type.Object({
    token: Type.Optional(Type.String({ maxLength: TYPED.maxLength, description: 'the part of a link after #' })),
    email: Type.Optional(
      Type.String({ ...TYPED, description: 'of the account; omit it with a sign-in link or invitation' }),
    ),
    password: Type.Optional(
      Type.String({ ...TYPED, description: 'current or new password; omit it with a sign-in link' }),
    ),
    code: Type.Optional(Type.String({ ...TYPED, description: 'from the authenticator app, or a recovery code' })),
  }),
  response: {
    201: SignedInShape,
    401: Type.Object({
      needs: Type.Optional(
        Type.Enum(['code'], { description: 'everything else is correct: send it again with a code' }),
      ),
    }),
  },
  answerHeaders: { 'Set-Cookie': 'the session: HttpOnly, SameSite=Strict, and Secure with HTTPS' },
  errors: ['linkInvalid', 'signInFailed', 'codeNeeded', 'accountThere', 'passwordsOff', 'tooManySignIns'] as const,
};

export function signInRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/session', schema } as const;
  entranceRoute(app, service, operation, async ({ request, reply, readBody }) => {
    const body = readBody();
    const network = request.network;
    const visitor = { userAgent: request.headers['user-agent'] ?? '', network };
    const { sessionToken } = await enter(service, body, visitor);
    await endSessionBefore(service, request.headers.cookie);
    const { signedIn } = await authorizeManager(service, { session: sessionToken });
    reply.code(201).header('set-cookie', sessionCookie(service.publicUrl, sessionToken));
    return viewSignedIn(service, signedIn as SignedIn);
  });
}

type Body = Static<typeof schema.body>;

async function enter(service: Service, body: Body, visitor: Visitor): Promise<{ sessionToken: string }> {
  const { token, email, password, code } = body;
  if (token === undefined) {
    if (email === undefined) throw refuse('email', 'is missing');
    if (password === undefined) throw refuse('password', 'is missing');
    if (!service.passwords) throw new InnkeeperError('passwordsOff');
    return signInByPassword(service, { email, password, code }, visitor);
  }
  const kind = kindOfLink(token);
  if (kind === undefined) throw new InnkeeperError('linkInvalid');
  if (kind !== 'set-up' && email !== undefined)
    throw refuse('email', 'is not accepted with this link, which belongs to an account');
  if (kind === 'sign-in') {
    if (password !== undefined) throw refuse('password', 'is not accepted with a sign-in link');
    return signInByLink(service, { token, code }, visitor);
  }
  if (kind === 'invitation' && !service.passwords) throw new InnkeeperError('passwordsOff');
  if (kind === 'invitation') return acceptInvitation(service, { token, password }, visitor);
  const problem = whyNoEmail(email);
  if (problem !== undefined) throw refuse('email', problem);
  return setUp(service, { token, email: email as string, password }, visitor);
}
