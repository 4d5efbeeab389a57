import type { Service } from '../../domain/service.ts';
import { CACHED_HEADERS, NotModified } from '../options/schemas.ts';
import type { Routes } from '../server/routes.ts';
import { userRoute } from './user-routes.ts';
import { answerUsers, UserAnswer, viewUser } from './user-view.ts';

const schema = {
  operationId: 'getApplicationUser',
  summary: 'Get one user',
  description: 'For the back end of the application: HTTP Basic with clientId and clientSecret.',
  response: { 200: UserAnswer, 304: NotModified },
  answerHeaders: CACHED_HEADERS,
};

export function getApplicationUserRoute(app: Routes, service: Service): void {
  userRoute(app, service, { method: 'GET', schema }, async ({ request, reply, user }) =>
    answerUsers(request, reply, viewUser(user)),
  );
}
