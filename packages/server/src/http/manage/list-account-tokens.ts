import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { TokenShape, viewToken } from './account-views.ts';

import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'listAccountTokens',
  summary: 'List your personal access tokens',
  description: 'Oldest first, including expired ones, without tokens created by the command line.',
  response: { 200: Type.Object({ items: Type.Array(TokenShape) }) },
};

export function listAccountTokensRoute(app: Routes, service: Service): void {
  accountRoute(app, service, { method: 'GET', path: '/account/tokens', schema }, async ({ signedIn }) => {
    const { storage, now } = service;
    const tokens = await storage.manageTokens.list(signedIn.account.accountId);
    const appIds = [...new Set(tokens.flatMap((token) => token.appIds ?? []))];
    const applications = await storage.applications.list(appIds);
    const clientIds = new Map(applications.map(({ appId, clientId }) => [appId, clientId]));
    return { items: tokens.map((token) => viewToken(token, clientIds, now())) };
  });
}
