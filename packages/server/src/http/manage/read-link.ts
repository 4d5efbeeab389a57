import { describeLink } from '../../domain/accounts/describe-link.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';

import { entranceRoute } from './manage-route.ts';
import { RoleShape } from './member-views.ts';

const schema = {
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
        invitedBy: Type.Optional(Type.String()),
      },
      { title: 'LinkDescription' },
    ),
  },
  errors: ['linkInvalid'] as const,
};

export function readLinkRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/session/link', schema } as const;
  entranceRoute(app, service, operation, async ({ readBody }) => {
    const { token } = readBody();
    const description = await describeLink(service, token);
    if (description.kind !== 'invitation') return description;
    const { appId, ...rest } = description;
    const [application] = await service.storage.applications.list([appId]);
    return { ...rest, ...(application && { application: application.name }) };
  });
}
