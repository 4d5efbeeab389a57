import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';

import type { Routes } from '../server/routes.ts';
import { DELETION_RECEIPT, JWT_TYPE, writeDeletionReceipt } from '../users/deletion-receipt.ts';

import { applicationRoute, FileAnswer } from './manage-route.ts';
import { UserParams } from './schemas.ts';

const schema = {
  ...DELETION_RECEIPT,
  operationId: 'getUserDeletionReceipt',
  params: UserParams,
  errors: ['userNotFound'] as const,
};

export function deletionReceiptRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users/:userUid/deletion-receipt', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const userUid = params.userUid as string;
    const receipt = await writeDeletionReceipt(service, application, userUid);
    if (receipt === undefined) throw new InnkeeperError('userNotFound');
    return new FileAnswer(JWT_TYPE, `deleted-${userUid}.jwt`, receipt);
  });
}
