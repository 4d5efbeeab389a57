import { kindOfLink } from '../../domain/accounts/links.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { joinByInvitation } from '../../domain/members/accept-invitation.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { accountRoute } from './manage-route.ts';
import { RoleShape } from './member-views.ts';

const schema = {
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation with your account',
  description: 'Uses the link up. If you already have a role in the application, it stays.',
  body: Type.Object({ token: Type.String({ description: 'the part of the link after #' }) }),
  response: { 200: Type.Object({ clientId: Type.String(), role: RoleShape }) },
  errors: ['linkInvalid', 'invitationNotYours'] as const,
};

export function acceptInvitationRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/account/invitations', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, readBody }) => {
    const { token } = readBody();
    if (kindOfLink(token) !== 'invitation') throw new InnkeeperError('linkInvalid');
    const { appId, role } = await joinByInvitation(service, signedIn.account, token);
    const [application] = await service.storage.applications.list([appId]);
    if (!application) throw new InnkeeperError('linkInvalid');
    return { clientId: application.clientId, role };
  });
}
