import { InnkeeperError } from '../../domain/errors.ts';
import { createManageToken } from '../../domain/manage/manage-token.ts';
import type { Manager } from '../../domain/manage/manager.ts';
import { whyNoName } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { readUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { TokenShape, viewToken } from './account-views.ts';
import { findScope, readExpiry, TokenMembers } from './create-account-token.ts';

import { refuse } from './input.ts';
import { manageRoute } from './manage-route.ts';

const NEEDS = 'Requires a token for all applications with access own.';

/** Tokens for a remote `innkeeper token`. A token cannot create one that outlives it or that may do more. */
export function allTokensRoutes(app: Routes, service: Service): void {
  manageRoute(app, service, { method: 'GET', path: '/tokens', schema: listSchema }, async ({ manager }) => {
    const accountId = tokensOf(manager);
    const tokens = await service.storage.manageTokens.list(accountId ?? undefined);
    const appIds = [...new Set(tokens.flatMap((token) => token.appIds ?? []))];
    const applications = await service.storage.applications.list(appIds);
    const clientIds = new Map(applications.map(({ appId, clientId }) => [appId, clientId]));
    return { items: tokens.map((token) => viewToken(token, clientIds, service.now())) };
  });

  manageRoute(app, service, { method: 'POST', path: '/tokens', schema: createSchema }, async (asked) => {
    const { manager, reply } = asked;
    const accountId = tokensOf(manager);
    const { name, access = 'read', apps, expires } = asked.readBody();
    const problem = whyNoName(name);
    if (problem !== undefined) throw refuse('name', problem);
    const scope = await findScope(service, manager, apps);
    const { storage, keyring } = service;
    const now = service.now();
    const most = Math.floor(((manager.expiresAt as number) - now) / 1000);
    const wanted = {
      name,
      accountId,
      appIds: scope && [...scope.keys()],
      access,
      lifetimeSeconds: Math.min(readExpiry(expires), most),
    };
    const made = await createManageToken(storage, keyring, wanted, now);
    if (!made) throw new InnkeeperError('applicationNotFound');
    reply.code(201);
    return { token: made.token, ...viewToken(made.record, scope ?? new Map(), now) };
  });

  manageRoute(app, service, { method: 'DELETE', path: '/tokens/:tokenId', schema: revokeSchema }, async (asked) => {
    const accountId = tokensOf(asked.manager);
    const tokenId = readUuid(asked.params.tokenId as string);
    const outcome = tokenId && (await service.storage.manageTokens.revoke(tokenId, accountId ?? undefined));
    if (outcome !== 'revoked') throw new InnkeeperError('manageTokenNotFound');
    return undefined;
  });
}

/** Whose tokens it may look after; null: everybody's. */
function tokensOf({ canCreateApplications, signedIn, accountId }: Manager): string | null {
  if (signedIn || !canCreateApplications) throw new InnkeeperError('manageForbidden', { message: NEEDS });
  return accountId;
}

const listSchema = {
  operationId: 'listManageTokens',
  summary: 'List personal access tokens, oldest first',
  description: NEEDS,
  response: { 200: Type.Object({ items: Type.Array(TokenShape) }) },
  errors: ['manageForbidden'] as const,
};

const createSchema = {
  operationId: 'createManageToken',
  summary: 'Create a personal access token',
  description: `${NEEDS} The token is shown only in this response. Without \`access\` it can only read. It expires no later than the token that created it.`,
  body: Type.Object(TokenMembers),
  response: { 201: Type.Object({ token: Type.String(), ...TokenShape.properties }) },
  errors: ['manageForbidden', 'applicationNotFound'] as const,
};

const revokeSchema = {
  operationId: 'revokeManageToken',
  summary: 'Revoke a personal access token',
  description: `${NEEDS} It stops working at once, in every replica.`,
  params: Type.Object({ tokenId: Type.String({ format: 'uuid' }) }),
  response: { 204: Type.Null({ description: 'Revoked.' }) },
  errors: ['manageForbidden', 'manageTokenNotFound'] as const,
};
