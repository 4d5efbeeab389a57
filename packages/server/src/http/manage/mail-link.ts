import { whyNoEmail } from '../../domain/accounts/account.ts';
import { mailLink } from '../../domain/accounts/mail-link.ts';
import { browserLanguage } from '../../domain/mail/write-letter.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { refuse } from './input.ts';
import { entranceRoute } from './manage-route.ts';
import { TYPED } from './proof.ts';
import { Nullable } from './schemas.ts';

const schema = {
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
  errors: ['mailOff', 'passwordsOff', 'tooManySignIns'] as const,
};

export function mailLinkRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/session/mail', schema } as const;
  entranceRoute(app, service, operation, async ({ request, reply, readBody }) => {
    const { email, purpose } = readBody();
    const problem = whyNoEmail(email);
    if (problem !== undefined) throw refuse('email', problem);
    const language = browserLanguage(request.headers['accept-language']);
    await mailLink(service, { email, purpose, language }, request.network);
    reply.code(202);
    return { mailed: true };
  });
}

const methodsSchema = {
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
};

export function signInMethodsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/session/methods', schema: methodsSchema } as const;
  entranceRoute(app, service, operation, async () => signInMethods(service));
}

function signInMethods({ passwords, mailer, oidc }: Service) {
  return { password: passwords, mail: mailer !== undefined, oidc: oidc ? { name: oidc.name } : null };
}
