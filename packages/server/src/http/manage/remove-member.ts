import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { MemberParams } from './member-views.ts';

const schema = {
  operationId: 'removeMember',
  summary: 'Remove a member from an application',
  description:
    "Applies immediately, to the member's tokens too, and revokes the invitations they sent. The account stays.",
  params: MemberParams,
  response: { 204: Type.Null({ description: 'The member was removed.' }) },
  errors: ['memberNotFound', 'lastOwner'] as const,
};

export function removeMemberRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/members/:accountId', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const accountId = params.accountId as string;
    const { members } = service.storage;
    const outcome = isUuid(accountId) ? await members.remove(application.appId, accountId) : 'unknown';
    if (outcome === 'unknown') throw new InnkeeperError('memberNotFound');
    if (outcome === 'last-owner') throw new InnkeeperError('lastOwner');
    return undefined;
  });
}
