import { recordExport } from '../../domain/audit/user-reads.ts';
import { describeOptions } from '../../domain/selections/describe-options.ts';
import type { Service } from '../../domain/service.ts';
import { collectTraces } from '../../domain/users/export-user.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import type { Routes } from '../server/routes.ts';
import { ACCESS_TOKEN, ADA, CHOSEN_OPTION, SAVED_EVENT, USER } from './examples.ts';
import { applicationRoute } from './manage-route.ts';
import { AccessTokenShape, EventShape, OptionShape, UserParams, UserShape } from './schemas.ts';
import { viewAccessToken, viewEvent, viewOption, viewUser } from './views.ts';

const schema = {
  operationId: 'exportUser',
  summary: 'Export all data about a user',
  params: UserParams,
  response: {
    200: Type.Object({
      clientId: Type.String(),
      user: Type.Object(UserShape, { title: 'ManagedUser' }),
      accessTokens: Type.Array(AccessTokenShape),
      options: Type.Array(OptionShape, { description: 'their selections' }),
      history: Type.Array(EventShape, { description: 'newest first' }),
    }),
  },
  errors: ['userNotFound'] as const,
  examples: {
    ada: {
      summary: 'A user who is signed in and chose once',
      params: USER,
      status: 200,
      answer: {
        clientId: EXAMPLE.clientId,
        user: ADA,
        accessTokens: [ACCESS_TOKEN],
        options: [CHOSEN_OPTION],
        history: [SAVED_EVENT],
      },
    },
  },
};

export function exportUserRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users/:userUid/export', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params, reply }) => {
    const user = await findUser(service, application, params.userUid as string);
    const { userId } = user;
    await recordExport(
      service.storage.audit,
      { actor: manager.author, appId: application.appId, userId },
      service.now(),
    );
    const catalog = await service.catalogs.get(application.appId);
    const { tokens, events } = await collectTraces(service, user);
    const options = await describeOptions(service, catalog, user.userId);
    reply.header('content-disposition', `attachment; filename="user-${user.userId}.json"`);
    return {
      clientId: application.clientId,
      user: viewUser(user),
      accessTokens: tokens.map(viewAccessToken),
      options: options.filter(({ record }) => record !== undefined).map(viewOption),
      history: events.map((event) => viewEvent(catalog, event)),
    };
  });
}
