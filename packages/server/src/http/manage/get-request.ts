import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { RequestShape, viewRequest } from './request-shape.ts';
import { Nullable } from './schemas.ts';

const Body = Nullable(
  Type.String({
    description: 'about 2,000 characters at most; [n bytes]: not a JSON object, or too large; null: none',
  }),
);

const schema = {
  operationId: 'getRequest',
  summary: 'Get a logged request with its body and response',
  params: Type.Object({ requestUid: Type.String({ format: 'uuid' }) }),
  response: {
    200: Type.Object({ ...RequestShape, request: Body, answer: Body }, { title: 'LoggedRequestWithBodies' }),
  },
  errors: ['loggedRequestNotFound'] as const,
};

export function getRequestRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/requests/:requestUid', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params }) => {
    const { requestUid = '' } = params;
    const found = isUuid(requestUid) ? await service.storage.requestLog.find(application.appId, requestUid) : undefined;
    if (!found) throw new InnkeeperError('loggedRequestNotFound');
    const { userId } = found;
    if (userId !== null) {
      await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
    }
    return { ...viewRequest(found), request: found.request, answer: found.answer };
  });
}
