import { recordLink } from '../../domain/audit/user-reads.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { makePreferenceLink } from '../../domain/preferences/make-link.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { membersReadElsewhere, Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';
import { PreferenceLinkBody } from '../users/preference-link.ts';

import { applicationRoute } from './manage-route.ts';
import { Time, UserParams } from './schemas.ts';

const { groups, language, expires_in, unsubscribe } = PreferenceLinkBody.properties;

const created = {
  operationId: 'createUserLink',
  summary: 'Create a link to the preferences of a user',
  description:
    'Anyone with the link can see and change the options of this user without signing in. At most 200 characters.',
  params: UserParams,
  body: Type.Object(membersReadElsewhere({ groups, language, expiresIn: expires_in, unsubscribe })),
  response: {
    201: Type.Object({
      url: Type.String({ format: 'uri' }),
      expiresAt: Time,
      unsubscribeUrl: Type.Optional(Type.String({ format: 'uri', description: 'with `unsubscribe`' })),
    }),
  },
  errors: ['userNotFound'] as const,
};

const withdrawn = {
  operationId: 'withdrawUserLinks',
  summary: 'Withdraw the preference links of a user',
  description: 'Every link made for this user so far stops working.',
  params: UserParams,
  response: { 204: Type.Null() },
  errors: ['userNotFound'] as const,
};

export function userLinkRoutes(app: Routes, service: Service): void {
  const path = '/users/:userUid/preference-link';
  applicationRoute(
    app,
    service,
    { method: 'POST', path, access: 'users', schema: created },
    async ({ application, manager, params, readBody, reply }) => {
      const members = readBody();
      const user = await findUser(service, application, params.userUid as string);
      const wanted = {
        groups: members.groups,
        language: members.language,
        expiresIn: members.expiresIn,
        unsubscribe: members.unsubscribe,
      };
      const { expiresAt, ...made } = await makePreferenceLink(service, application, user, wanted);
      const about = { actor: manager.author, appId: application.appId, userId: user.userId };
      await recordLink(service.storage.audit, about, service.now());
      reply.code(201);
      return { ...made, expiresAt: formatTime(expiresAt) };
    },
  );
  applicationRoute(
    app,
    service,
    { method: 'DELETE', path, access: 'users', schema: withdrawn },
    async ({ application, params }) => {
      const { userId } = await findUser(service, application, params.userUid as string);
      const outcome = await service.storage.users.withdrawLinks(application.appId, userId);
      if (outcome === 'unknown') throw new InnkeeperError('userNotFound');
      return undefined;
    },
  );
}
