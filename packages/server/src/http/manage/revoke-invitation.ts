import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { InvitationParams } from './member-views.ts';

const schema = {
  operationId: 'revokeInvitation',
  summary: 'Revoke an invitation',
  params: InvitationParams,
  response: { 204: Type.Null({ description: 'The link no longer works.' }) },
  errors: ['invitationNotFound'] as const,
};

export function revokeInvitationRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/invitations/:invitationId', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const invitationId = params.invitationId as string;
    const { invitations } = service.storage;
    const outcome = isUuid(invitationId) ? await invitations.revoke(application.appId, invitationId) : 'unknown';
    if (outcome === 'unknown') throw new InnkeeperError('invitationNotFound');
    return undefined;
  });
}
