import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { SessionShape, viewSession } from './account-views.ts';
import { PORTAL_SESSION } from './examples.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'listAccountSessions',
  summary: 'List your portal sessions',
  description: 'Most recently used first.',
  response: { 200: Type.Object({ items: Type.Array(SessionShape) }) },
  examples: { one: { summary: 'One session', status: 200, answer: { items: [PORTAL_SESSION] } } },
};

export function listAccountSessionsRoute(app: Routes, service: Service): void {
  accountRoute(app, service, { method: 'GET', path: '/account/sessions', schema }, async ({ signedIn }) => {
    const sessions = await service.storage.sessions.list(signedIn.account.accountId, service.now());
    return { items: sessions.map((session) => viewSession(session, signedIn.session)) };
  });
}
