import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { SessionShape, viewSession } from './account-views.ts';

import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'listAccountSessions',
  summary: 'List your portal sessions',
  description: 'Most recently used first.',
  response: { 200: Type.Object({ items: Type.Array(SessionShape) }) },
};

export function listAccountSessionsRoute(app: Routes, service: Service): void {
  accountRoute(app, service, { method: 'GET', path: '/account/sessions', schema }, async ({ signedIn }) => {
    const sessions = await service.storage.sessions.list(signedIn.account.accountId, service.now());
    return { items: sessions.map((session) => viewSession(session, signedIn.session)) };
  });
}
