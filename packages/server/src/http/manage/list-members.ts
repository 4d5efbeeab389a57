import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { MemberShape, viewMember } from './member-views.ts';

const schema = {
  operationId: 'listMembers',
  summary: 'List the members of an application',
  description: 'Ordered by address. Administrators are owners of every application and are listed separately.',
  response: {
    200: Type.Object({
      items: Type.Array(MemberShape),
      administrators: Type.Array(Type.String({ description: 'e-mail address' })),
    }),
  },
};

export function listMembersRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/members', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application }) => {
    const { members, accounts } = service.storage;
    const administrators = (await accounts.list()).filter(({ role }) => role === 'administrator');
    return {
      items: (await members.list(application.appId)).map(viewMember),
      administrators: administrators.map(({ email }) => email).sort(),
    };
  });
}
