import { InnkeeperError } from '../../domain/errors.ts';
import { findReceipt } from '../../domain/selections/receipts.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';

import { writeReceipt } from '../options/user-option-receipt.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { UserParams } from './schemas.ts';

const schema = {
  operationId: 'getManagedUserOptionReceipt',
  summary: 'Get a signed receipt of the last save of a user option',
  description:
    'It states what the user saw when they chose. The claims are those of GET /api/user_options/{user_options_uid}/receipt.',
  params: Type.Object({ ...UserParams.properties, userOptionsUid: Type.String({ format: 'uuid' }) }),
  response: { 200: Type.Object({ receipt: Type.String({ description: 'a compact JWS' }) }) },
  errors: ['userNotFound', 'selectionNotFound'] as const,
};

export function managedUserOptionReceiptRoute(app: Routes, service: Service): void {
  const path = '/users/:userUid/options/:userOptionsUid/receipt';
  applicationRoute(app, service, { method: 'GET', path, access: 'users', schema }, async (request) => {
    const { application, manager, params } = request;
    const user = await findUser(service, application, params.userUid as string);
    await service.userReads.record({ actor: manager.author, appId: application.appId, userId: user.userId });
    const receipt = await findReceipt(service, user, params.userOptionsUid as string);
    if (!receipt) throw new InnkeeperError('selectionNotFound');
    return { receipt: await writeReceipt(service, application, receipt) };
  });
}
