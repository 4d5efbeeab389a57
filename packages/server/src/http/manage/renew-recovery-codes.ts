import { makeRecoveryCodes } from '../../domain/accounts/second-factor.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { RecoveryCodesAnswer } from './confirm-totp.ts';

import { accountRoute } from './manage-route.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIdentity } from './proof.ts';

const schema = {
  operationId: 'renewRecoveryCodes',
  summary: 'Create new recovery codes',
  description: 'The previous ones stop working. The new ones are shown only in this response.',
  body: Type.Object(ProofMembers),
  response: { 200: RecoveryCodesAnswer, ...ProofAnswer },
  errors: [...PROOF_ERRORS, 'totpOff'] as const,
};

export function renewRecoveryCodesRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/account/totp/recovery-codes', schema } as const;
  accountRoute(app, service, operation, async (asked) => {
    const { signedIn, readBody } = asked;
    const { password, code } = readBody();
    await proveIdentity(service, asked, { password, code });
    const { codes, hashes } = makeRecoveryCodes(service.keyring);
    const outcome = await service.storage.secondFactors.replaceRecoveryCodes(signedIn.account.accountId, hashes);
    if (outcome === 'off') throw new InnkeeperError('totpOff');
    return { recoveryCodes: codes };
  });
}
