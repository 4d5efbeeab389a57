import type { FastifyInstance } from 'fastify';
import { makeRecoveryCodes } from '../../domain/accounts/second-factor.ts';
import { confirmIdentity } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { clientAddress, networkOf } from '../client-address.ts';
import { RecoveryCodesAnswer } from './confirm-totp.ts';
import { RECOVERY_CODES } from './examples.ts';
import { readMembers, readOptionalText } from './input.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'renewRecoveryCodes',
  summary: 'Make new recovery codes',
  description: 'The ones before stop working. They are in this answer and nowhere else.',
  body: Type.Object({ password: Type.Optional(Type.String({ description: 'yours, if you have one' })) }),
  response: { 200: RecoveryCodesAnswer },
  errors: ['passwordWrong', 'tooManySignIns', 'totpOff'] as const,
  examples: {
    renewed: { summary: 'Without a password', body: {}, status: 200, answer: { recoveryCodes: RECOVERY_CODES } },
  },
};

export function renewRecoveryCodesRoute(app: FastifyInstance, service: Service): void {
  const operation = { method: 'POST', path: '/account/totp/recovery-codes', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, readBody, request }) => {
    const { password } = readMembers(readBody(), ['password']);
    await confirmIdentity(service, signedIn, readOptionalText(password, 'password'), networkOf(clientAddress(request)));
    const { codes, hashes } = makeRecoveryCodes(service.keyring);
    const outcome = await service.storage.secondFactors.replaceRecoveryCodes(signedIn.account.accountId, hashes);
    if (outcome === 'off') throw new InnkeeperError('totpOff');
    return { recoveryCodes: codes };
  });
}
