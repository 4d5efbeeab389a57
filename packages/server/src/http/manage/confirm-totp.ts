import { makeRecoveryCodes } from '../../domain/accounts/second-factor.ts';
import { findTotpStep } from '../../domain/accounts/totp.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';

import { refuse } from './input.ts';
import { accountRoute } from './manage-route.ts';
import { TYPED } from './proof.ts';

export const RecoveryCodesAnswer = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: 'each works once, instead of a code' }) },
  { title: 'RecoveryCodes' },
);

const schema = {
  operationId: 'confirmTotp',
  summary: 'Turn on two-step sign-in',
  description: 'The first code proves that the app has the secret. The recovery codes are shown only in this response.',
  body: Type.Object({ code: Type.String({ ...TYPED, description: 'six digits' }) }),
  response: { 200: RecoveryCodesAnswer },
  errors: ['totpNotBegun'] as const,
};

export function confirmTotpRoute(app: Routes, service: Service): void {
  const operation = { method: 'PUT', path: '/account/totp', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, readBody }) => {
    const { code } = readBody();
    const { storage, keyring, now } = service;
    const { accountId } = signedIn.account;
    const pendingTotp = (await storage.accounts.credentials(accountId))?.pendingTotp ?? null;
    const secret = pendingTotp === null ? undefined : keyring.unsealTotp(pendingTotp);
    if (pendingTotp === null || !secret) throw new InnkeeperError('totpNotBegun');
    const step = findTotpStep(secret, code.replaceAll(/\s/g, ''), now());
    if (step === undefined) throw refuse('code', 'is wrong: enter the code the app shows now');
    const { codes, hashes } = makeRecoveryCodes(keyring);
    const confirmed = { pendingTotp, step, recoveryHashes: hashes };
    const outcome = await storage.secondFactors.confirm(accountId, confirmed);
    if (outcome === 'changed') throw new InnkeeperError('totpNotBegun');
    return { recoveryCodes: codes };
  });
}
