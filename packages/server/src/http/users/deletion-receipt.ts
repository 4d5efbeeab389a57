import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { signReceipt } from '../../domain/selections/receipts.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { formatTime } from '../../time.ts';
import { readUuid } from '../../uuid.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { admitBackEnd, BACK_END_ERRORS, USERS_PATH } from './user-routes.ts';

export const JWT_TYPE = 'application/jwt';

export const DELETION_RECEIPT = {
  summary: 'Get a signed receipt of the deletion of a user',
  description:
    'A compact JWS with `typ` `receipt+jwt`, signed by a key of /oauth/v2/jwks, without personal data: `iss`, `sub` (the service_user_code), `aud` ' +
    '(the clientId), `iat`, `deleted_at`, and `rows`, how many were deleted from each table. It can be read for 400 days after the deletion; keep it for longer.',
  produces: JWT_TYPE,
  response: { 200: Type.String({ description: 'the receipt' }) },
};

const schema = {
  ...DELETION_RECEIPT,
  operationId: 'getDeletionReceipt',
  tags: ['users'],
  security: [{ basic: [] }],
  params: Type.Object({ clientId: Type.String(), serviceUserCode: Type.String({ format: 'uuid' }) }),
  errors: [...BACK_END_ERRORS, 'userUnknown'],
} satisfies RouteSchema;

export function deletionReceiptRoute(app: Routes, service: Service): void {
  app.get(`${USERS_PATH}/:serviceUserCode/deletion-receipt`, { schema }, async (request, reply) => {
    const { application } = await admitBackEnd(service, request);
    const { serviceUserCode = '' } = request.params;
    const receipt = await writeDeletionReceipt(service, application, serviceUserCode);
    if (receipt === undefined) throw new InnkeeperError('userUnknown');
    return reply.header('cache-control', 'no-store').type(JWT_TYPE).send(receipt);
  });
}

/** undefined: no such user was deleted, or too long ago. */
export async function writeDeletionReceipt(
  service: Pick<Service, 'publicUrl' | 'now' | 'signReceipt'> & { storage: Pick<Service['storage'], 'users'> },
  application: Pick<Application, 'appId' | 'clientId' | 'settings'>,
  userCode: string,
): Promise<string | undefined> {
  const userId = readUuid(userCode);
  if (userId === undefined) return undefined;
  const deleted = await service.storage.users.findDeleted(application.appId, userId);
  if (!deleted?.rows) return undefined;
  const claims = { deleted_at: formatTime(deleted.at), rows: deleted.rows };
  return signReceipt(service, application, userId, claims);
}
