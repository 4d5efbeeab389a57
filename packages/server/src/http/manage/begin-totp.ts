import { makeTotpSecret, toBase32, totpUri } from '../../domain/accounts/totp.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { accountRoute } from './manage-route.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIdentity } from './proof.ts';

const schema = {
  operationId: 'beginTotp',
  summary: 'Start turning on two-step sign-in',
  description:
    'Codes are required only after a first code has confirmed it. The secret is shown only in this response.',
  body: Type.Object(ProofMembers),
  response: {
    200: Type.Object({
      secret: Type.String({ description: 'base32, to type in' }),
      uri: Type.String({ description: 'otpauth:// URL, to scan as a QR code' }),
    }),
    ...ProofAnswer,
  },
  errors: [...PROOF_ERRORS, 'totpOn'] as const,
};

export function beginTotpRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/account/totp', schema } as const;
  accountRoute(app, service, operation, async (asked) => {
    const { signedIn, readBody } = asked;
    const { password, code } = readBody();
    await proveIdentity(service, asked, { password, code });
    const { accountId, email } = signedIn.account;
    const secret = makeTotpSecret();
    const outcome = await service.storage.secondFactors.begin(accountId, service.keyring.sealTotp(secret));
    if (outcome === 'unknown') throw new InnkeeperError('sessionEnded');
    if (outcome === 'on') throw new InnkeeperError('totpOn');
    return { secret: toBase32(secret), uri: totpUri(secret, email) };
  });
}
