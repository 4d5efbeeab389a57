import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { LanguagesShape, MemberParams, MemberShape, RoleShape, readLanguages, viewMember } from './member-views.ts';
import { Nullable } from './schemas.ts';

const schema = {
  operationId: 'changeMember',
  summary: 'Change the role of a member',
  description:
    "Applies immediately, to the member's tokens too. Without `languages`, a translator may change all of them.",
  params: MemberParams,
  body: Type.Object({ role: RoleShape, languages: Type.Optional(Nullable(LanguagesShape)) }),
  response: { 200: MemberShape },
  errors: ['memberNotFound', 'lastOwner'] as const,
};

export function changeMemberRoute(app: Routes, service: Service): void {
  const operation = { method: 'PATCH', path: '/members/:accountId', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application, params, readBody }) => {
    const { role, languages: limits } = readBody();
    const languages = await readLanguages(service, application.appId, { role, languages: limits });
    const { members } = service.storage;
    const accountId = params.accountId as string;
    const outcome = isUuid(accountId)
      ? await members.changeRole(application.appId, accountId, role, languages)
      : 'unknown';
    if (outcome === 'last-owner') throw new InnkeeperError('lastOwner');
    const member = (await members.list(application.appId)).find((each) => each.accountId === accountId);
    if (outcome === 'unknown' || !member) throw new InnkeeperError('memberNotFound');
    return viewMember(member);
  });
}
