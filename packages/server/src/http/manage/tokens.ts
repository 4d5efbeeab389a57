import { InnkeeperError } from '../../domain/errors.ts';
import { createManageToken, type Manager, readLifetime } from '../../domain/manage/authorize-manager.ts';
import { displayNameProblem } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { isUuid, readUuid } from '../../uuid.ts';
import { listTokens, TokenShape, viewToken } from './account-views.ts';
import { forbidden, refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { PROOF_ERRORS, ProofMembers, ProofResponse, proveIdentity } from './proof.ts';
import { AccessShape } from './schemas.ts';

const MAX_APPS = 1000;

const NewToken = Type.Object({
  name: Type.String({ description: 'its purpose, 1 to 255 characters; shown as the author of revisions' }),
  access: Type.Optional(AccessShape),
  apps: Type.Optional(
    Nullable(Type.Array(Type.String(), { maxItems: MAX_APPS, description: 'clientIds; null: all applications' })),
  ),
  expires: Type.Optional(Type.String({ description: 'lifetime, up to 365d', default: '90d' })),
});

const NEEDS = 'Requires a token for all applications with access own.';

/** Personal access tokens. */
export function tokenRoutes({ manageRoute, accountRoute }: ManageRoutes, service: Service): void {
  accountRoute('GET', '/account/tokens', {
    operationId: 'listAccountTokens',
    summary: 'List your personal access tokens',
    description: 'Oldest first, including expired ones, without tokens created on the command line.',
    response: { 200: Type.Object({ items: Type.Array(TokenShape) }) },
    handle: ({ signedIn }) => listTokens(service, signedIn.account.accountId),
  });

  accountRoute('POST', '/account/tokens', {
    operationId: 'createAccountToken',
    summary: 'Create a personal access token',
    description:
      'The token is shown only in this response. Without `access` it can only read; it never exceeds your own permissions at the time of use.',
    body: Type.Object({ ...NewToken.properties, ...ProofMembers }),
    response: { 201: Type.Object({ token: Type.String(), ...TokenShape.properties }), ...ProofResponse },
    errors: [...PROOF_ERRORS, 'limitReached', 'applicationNotFound'],
    async handle(call) {
      const body = call.readBody();
      const { accountId } = call.signedIn.account;
      return createToken(service, call.manager, accountId, body, () => proveIdentity(service, call, body));
    },
  });

  accountRoute('DELETE', '/account/tokens/:tokenId', {
    operationId: 'revokeAccountToken',
    summary: 'Revoke one of your personal access tokens',
    description: 'It stops working immediately, in every replica.',
    params: Type.Object({ tokenId: Type.String({ format: 'uuid' }) }),
    response: { 204: Type.Null({ description: 'The token was revoked.' }) },
    errors: ['manageTokenNotFound'],
    async handle({ signedIn, params }) {
      const tokenId = params.tokenId;
      const outcome = isUuid(tokenId)
        ? await service.storage.manageTokens.revoke(tokenId, signedIn.account.accountId)
        : 'unknown';
      if (outcome === 'unknown') throw new InnkeeperError('manageTokenNotFound');
    },
  });

  /**
   * Tokens for a remote `innkeeper token`. A token cannot create one that lives longer or has more access than itself.
   */
  manageRoute('GET', '/tokens', {
    operationId: 'listManageTokens',
    summary: 'List personal access tokens, oldest first',
    description: NEEDS,
    response: { 200: Type.Object({ items: Type.Array(TokenShape) }) },
    errors: ['manageForbidden'],
    handle: async ({ manager }) => listTokens(service, tokensOf(manager)),
  });

  manageRoute('POST', '/tokens', {
    operationId: 'createManageToken',
    summary: 'Create a personal access token',
    description: `${NEEDS} The token is shown only in this response. Without \`access\` it can only read. It expires no later than the token that created it.`,
    body: NewToken,
    response: { 201: Type.Object({ token: Type.String(), ...TokenShape.properties }) },
    errors: ['manageForbidden', 'limitReached', 'applicationNotFound'],
    handle: async ({ manager, readBody }) => createToken(service, manager, tokensOf(manager), readBody()),
  });

  manageRoute('DELETE', '/tokens/:tokenId', {
    operationId: 'revokeManageToken',
    summary: 'Revoke a personal access token',
    description: `${NEEDS} It stops working immediately, in every replica.`,
    params: Type.Object({ tokenId: Type.String({ format: 'uuid' }) }),
    response: { 204: Type.Null({ description: 'Revoked.' }) },
    errors: ['manageForbidden', 'manageTokenNotFound'],
    async handle(call) {
      const accountId = tokensOf(call.manager);
      const tokenId = readUuid(call.params.tokenId);
      const outcome = tokenId && (await service.storage.manageTokens.revoke(tokenId, accountId ?? undefined));
      if (outcome !== 'revoked') throw new InnkeeperError('manageTokenNotFound');
    },
  });
}

async function createToken(
  service: Service,
  manager: Manager,
  accountId: string | null,
  { name, access = 'read', apps, expires }: Static<typeof NewToken>,
  prove?: () => Promise<void>,
) {
  const problem = displayNameProblem(name);
  if (problem !== undefined) throw refuse('name', problem);
  const scope = await findScope(service, manager, apps);
  const seconds = readExpiry(expires);
  await prove?.();
  const now = service.now();
  const { expiresAt = Number.POSITIVE_INFINITY } = manager;
  const lifetimeSeconds = Math.min(seconds, Math.floor((expiresAt - now) / 1000));
  const { credential } = manager;
  const wanted = { name, accountId, credential, appIds: scope && [...scope.keys()], access, lifetimeSeconds };
  const made = await createManageToken(service.storage, service.keyring, wanted, now);
  if (!made) throw new InnkeeperError('applicationNotFound');
  return { token: made.token, ...viewToken(made.record, scope ?? new Map(), now) };
}

/** Maps the applications' numbers to their clientIds; null: all of them. */
async function findScope(
  service: Service,
  manager: Manager,
  apps: readonly string[] | null = null,
): Promise<Map<number, string> | null> {
  if (apps === null) return null;
  const scope = new Map<number, string>();
  for (const clientId of apps) {
    const application = await service.applications.findByClientId(clientId);
    if (!application || !manager.accessTo(application.appId)) throw new InnkeeperError('applicationNotFound');
    scope.set(application.appId, clientId);
  }
  if (scope.size === 0) throw refuse('apps', 'must name an application, or be null for all');
  return scope;
}

function readExpiry(expires = '90d'): number {
  const read = readLifetime(expires);
  if ('problem' in read) throw refuse('expires', read.problem);
  return read.seconds;
}

/** The account whose tokens the caller may manage; null: all accounts. */
function tokensOf({ canCreateApplications, signedIn, accountId }: Manager): string | null {
  if (signedIn || !canCreateApplications) throw forbidden(NEEDS);
  return accountId;
}
