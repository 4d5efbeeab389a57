import type { SignedIn } from '../../domain/accounts/account.ts';
import { accountEmailProblem } from '../../domain/accounts/account.ts';
import { acceptInvitation } from '../../domain/accounts/invitations.ts';
import { describeLink, kindOfLink, mailLink } from '../../domain/accounts/links.ts';
import { setUp, signInByLink, signInByPassword, type Visitor } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { browserLanguage } from '../../domain/mail/write-letter.ts';
import { authorizeManager } from '../../domain/manage/authorize-manager.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { isUuid } from '../../uuid.ts';
import { SessionShape, SignedInShape, viewSession, viewSignedIn } from './account-views.ts';
import { refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { RoleShape } from './members.ts';
import { TYPED } from './proof.ts';
import { endedCookie, endSessionBefore, sessionCookie } from './session-cookie.ts';

const SignInBody = Type.Object({
  token: Type.Optional(Type.String({ maxLength: TYPED.maxLength, description: 'the part of a link after #' })),
  email: Type.Optional(
    Type.String({ ...TYPED, description: 'of the account; omit it with a sign-in link or invitation' }),
  ),
  password: Type.Optional(
    Type.String({ ...TYPED, description: 'current or new password; omit it with a sign-in link' }),
  ),
  code: Type.Optional(Type.String({ ...TYPED, description: 'from the authenticator app, or a recovery code' })),
});

type Body = Static<typeof SignInBody>;

/** Sign in to the portal and out of it, and the sessions of an account. */
export function sessionRoutes({ accountRoute, entranceRoute }: ManageRoutes, service: Service): void {
  entranceRoute('POST', '/session', {
    operationId: 'createSession',
    summary: 'Sign in to the portal',
    description:
      'With e-mail address and password, and a code if two-step sign-in is on. Or with a one-time link: a sign-in link replaces the password; a set-up link creates the first account and an invitation the account it is for, both with a new password. ' +
      "Sets the cookie of a new session. Only for the portal's own page, with the header X-Innkeeper-Portal: 1.",
    headers: Type.Object({ 'X-Innkeeper-Portal': Type.String({ description: 'always 1' }) }),
    body: SignInBody,
    response: {
      201: SignedInShape,
      401: Type.Object({
        needs: Type.Optional(
          Type.Enum(['code'], { description: 'everything else is correct: send it again with a code' }),
        ),
      }),
    },
    responseHeaders: { 'Set-Cookie': 'the session: HttpOnly, SameSite=Strict, and Secure with HTTPS' },
    errors: ['linkInvalid', 'signInFailed', 'codeNeeded', 'accountThere', 'passwordsOff', 'tooManySignIns'],
    async handle({ request, reply, readBody }) {
      const body = readBody();
      const network = request.network;
      const visitor = { userAgent: request.headers['user-agent'] ?? '', network };
      const { sessionToken } = await enter(service, body, visitor);
      await endSessionBefore(service, request.headers.cookie);
      const { signedIn } = await authorizeManager(service, { session: sessionToken });
      reply.header('set-cookie', sessionCookie(service.publicUrl, sessionToken));
      return viewSignedIn(service, signedIn as SignedIn);
    },
  });

  entranceRoute('POST', '/session/link', {
    operationId: 'readLink',
    summary: 'Get the purpose of a link without using it',
    description: 'For an invitation, the response does not reveal whether the address has an account.',
    headers: Type.Object({ 'X-Innkeeper-Portal': Type.String({ description: 'always 1' }) }),
    body: Type.Object({ token: Type.String({ description: 'the part of the link after #' }) }),
    response: {
      200: Type.Object(
        {
          kind: Type.Enum(['set-up', 'sign-in', 'invitation']),
          email: Type.Optional(Type.String({ description: 'of its account' })),
          needsCode: Type.Optional(Type.Boolean({ description: 'of a sign-in link: a code is also required' })),
          application: Type.Optional(Type.String({ description: 'name of the application it invites to' })),
          role: Type.Optional(RoleShape),
          languages: Type.Optional(Type.Array(Type.String(), { description: 'tags that a translator is limited to' })),
          invitedBy: Type.Optional(Type.String()),
        },
        { title: 'LinkDescription' },
      ),
    },
    errors: ['linkInvalid'],
    async handle({ readBody }) {
      const { token } = readBody();
      const description = await describeLink(service, token);
      if (description.kind !== 'invitation') return description;
      const { appId, ...rest } = description;
      const [application] = await service.storage.applications.list([appId]);
      return { ...rest, ...(application && { application: application.name }) };
    },
  });

  entranceRoute('POST', '/session/mail', {
    operationId: 'mailLink',
    summary: 'Mail a sign-in link to an account',
    description:
      'The response is the same whether the address has an account or not. The link works once within an hour; with `password` it leads to the page that sets a new password. Only if the service sends mail.',
    headers: Type.Object({ 'X-Innkeeper-Portal': Type.String({ description: 'always 1' }) }),
    body: Type.Object({
      email: Type.String({ ...TYPED, description: 'of the account' }),
      purpose: Type.Enum(['password', 'signIn'], { description: '`password`: to set a new password' }),
    }),
    response: { 202: Type.Object({ mailed: Type.Boolean({ description: 'always true' }) }) },
    errors: ['mailOff', 'passwordsOff', 'tooManySignIns'],
    async handle({ request, readBody }) {
      const { email, purpose } = readBody();
      const problem = accountEmailProblem(email);
      if (problem !== undefined) throw refuse('email', problem);
      const language = browserLanguage(request.headers['accept-language']);
      await mailLink(service, { email, purpose, language }, request.network);
      return { mailed: true };
    },
  });

  entranceRoute('GET', '/session/methods', {
    operationId: 'listSignInMethods',
    summary: 'List the ways to sign in to the portal',
    response: {
      200: Type.Object(
        {
          password: Type.Boolean({ description: 'with e-mail address and password' }),
          mail: Type.Boolean({ description: 'links can be mailed' }),
          oidc: Nullable(
            Type.Object(
              { name: Type.String() },
              { title: 'OpenIdProvider', description: 'by its name on the sign-in page' },
            ),
          ),
        },
        { title: 'SignInMethods' },
      ),
    },
    async handle() {
      const { passwords, mailer, oidc } = service;
      return { password: passwords, mail: mailer !== undefined, oidc: oidc ? { name: oidc.name } : null };
    },
  });

  accountRoute('GET', '/session', {
    operationId: 'getSession',
    summary: 'Get the current portal session and its permissions',
    response: { 200: SignedInShape },
    handle: async ({ signedIn }) => viewSignedIn(service, signedIn),
  });

  accountRoute('DELETE', '/session', {
    operationId: 'endSession',
    summary: 'Sign out of the portal',
    description: 'The session stops working immediately, in every replica.',
    response: { 204: Type.Null({ description: 'The session has ended.' }) },
    responseHeaders: { 'Set-Cookie': 'clears the cookie' },
    async handle({ signedIn, reply }) {
      await service.storage.sessions.end(signedIn.account.accountId, signedIn.session.sessionId);
      reply.header('set-cookie', endedCookie(service.publicUrl));
    },
  });

  accountRoute('GET', '/account/sessions', {
    operationId: 'listAccountSessions',
    summary: 'List your portal sessions',
    description: 'Most recently used first.',
    response: { 200: Type.Object({ items: Type.Array(SessionShape) }) },
    async handle({ signedIn }) {
      const sessions = await service.storage.sessions.list(signedIn.account.accountId, service.now());
      return { items: sessions.map((session) => viewSession(session, signedIn.session)) };
    },
  });

  accountRoute('DELETE', '/account/sessions/:sessionId', {
    operationId: 'endAccountSession',
    summary: 'End one of your portal sessions',
    description: 'It stops working immediately, in every replica.',
    params: Type.Object({ sessionId: Type.String({ format: 'uuid' }) }),
    response: { 204: Type.Null({ description: 'The session has ended.' }) },
    errors: ['sessionNotFound'],
    async handle({ signedIn, params }) {
      const sessionId = params.sessionId;
      const outcome = isUuid(sessionId)
        ? await service.storage.sessions.end(signedIn.account.accountId, sessionId)
        : 'unknown';
      if (outcome === 'unknown') throw new InnkeeperError('sessionNotFound');
    },
  });
}

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
  const problem = accountEmailProblem(email);
  if (problem !== undefined) throw refuse('email', problem);
  return setUp(service, { token, email: email as string, password }, visitor);
}
