import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { InvitationShape, viewInvitation } from './member-views.ts';

const schema = {
  operationId: 'listInvitations',
  summary: 'List open invitations to an application',
  description: 'Newest first.',
  response: { 200: Type.Object({ items: Type.Array(InvitationShape) }) },
};

export function listInvitationsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/invitations', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application }) => {
    const invitations = await service.storage.invitations.list(application.appId, service.now());
    return { items: invitations.map(viewInvitation) };
  });
}
