import { InnkeeperError } from '../../domain/errors.ts';
import { createManageToken, readLifetime } from '../../domain/manage/manage-token.ts';
import type { Manager } from '../../domain/manage/manager.ts';
import { whyNoName } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { TokenShape, viewToken } from './account-views.ts';

import { refuse } from './input.ts';
import { accountRoute } from './manage-route.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIdentity } from './proof.ts';
import { AccessShape, Nullable } from './schemas.ts';

const MAX_APPS = 1000;

/** Of a token to be made. */
export const TokenMembers = {
  name: Type.String({ description: 'its purpose, 1 to 255 characters; shown as the author of revisions' }),
  access: Type.Optional(AccessShape),
  apps: Type.Optional(
    Nullable(Type.Array(Type.String(), { maxItems: MAX_APPS, description: 'clientIds; null: all applications' })),
  ),
  expires: Type.Optional(Type.String({ description: 'lifetime, up to 365d', default: '90d' })),
};

const schema = {
  operationId: 'createAccountToken',
  summary: 'Create a personal access token',
  description:
    'The token is shown only in this response. Without `access` it can only read; it never exceeds your own permissions at the time of use.',
  body: Type.Object({
    ...TokenMembers,
    ...ProofMembers,
  }),
  response: { 201: Type.Object({ token: Type.String(), ...TokenShape.properties }), ...ProofAnswer },
  errors: [...PROOF_ERRORS, 'applicationNotFound'] as const,
};

export function createAccountTokenRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/account/tokens', schema } as const;
  accountRoute(app, service, operation, async (asked) => {
    const { manager, signedIn, reply } = asked;
    const body = asked.readBody();
    const { name, access = 'read', apps, expires } = body;
    const problem = whyNoName(name);
    if (problem !== undefined) throw refuse('name', problem);
    const scope = await findScope(service, manager, apps);
    const { storage, keyring, now } = service;
    const wanted = {
      name,
      accountId: signedIn.account.accountId,
      appIds: scope && [...scope.keys()],
      access,
      lifetimeSeconds: readExpiry(expires),
    };
    await proveIdentity(service, asked, body);
    const made = await createManageToken(storage, keyring, wanted, now());
    if (!made) throw new InnkeeperError('applicationNotFound');
    reply.code(201);
    return { token: made.token, ...viewToken(made.record, scope ?? new Map(), now()) };
  });
}

/** The clientIds of the applications by their number; null: all of them. */
export async function findScope(
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

export function readExpiry(expires = '90d'): number {
  const read = readLifetime(expires);
  if ('problem' in read) throw refuse('expires', read.problem);
  return read.seconds;
}
