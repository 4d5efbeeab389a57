import { describeLink } from '../../domain/accounts/describe-link.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import type { Routes } from '../server/routes.ts';
import { ACCOUNT_EMAIL } from './examples.ts';
import { refuse } from './input.ts';
import { entranceRoute } from './manage-route.ts';
import { RoleShape } from './member-views.ts';

const schema = {
  operationId: 'readLink',
  summary: 'See what a link is for, without spending it',
  description:
    'Of an invitation it does not tell whether there is an account with its address: that is known to whom it is for.',
  headers: Type.Object({ 'X-Innkeeper-Portal': Type.String({ description: 'always 1' }) }),
  body: Type.Object({ token: Type.String({ description: 'what follows # in the link' }) }),
  response: {
    200: Type.Object(
      {
        kind: Type.Enum(['set-up', 'sign-in', 'invitation']),
        email: Type.Optional(Type.String({ description: 'of the account that it is for' })),
        needsCode: Type.Optional(Type.Boolean({ description: 'of a sign-in link: a code has to come with it' })),
        application: Type.Optional(Type.String({ description: 'the name of the one that it invites to' })),
        role: Type.Optional(RoleShape),
        invitedBy: Type.Optional(Type.String()),
      },
      { title: 'LinkDescription' },
    ),
  },
  errors: ['linkInvalid'] as const,
  examples: {
    signIn: {
      summary: 'A sign-in link',
      headers: { 'X-Innkeeper-Portal': '1' },
      body: { token: EXAMPLE.linkToken },
      status: 200,
      answer: { kind: 'sign-in', email: ACCOUNT_EMAIL, needsCode: false },
    },
  },
};

export function readLinkRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/session/link', schema } as const;
  entranceRoute(app, service, operation, async ({ readMembers }) => {
    const { token } = readMembers();
    if (typeof token !== 'string') throw refuse('token', 'must be the text that follows # in the link');
    const description = await describeLink(service, token);
    if (description.kind !== 'invitation') return description;
    const { appId, ...rest } = description;
    const [application] = await service.storage.applications.list([appId]);
    return { ...rest, ...(application && { application: application.name }) };
  });
}
