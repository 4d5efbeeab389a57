import type { FastifyInstance } from 'fastify';
import { confirmIdentity } from '../../domain/accounts/sign-in.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { clientAddress, networkOf } from '../client-address.ts';
import { readMembers, readOptionalText } from './input.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'endTotp',
  summary: 'Ask for no codes of an authenticator app any more',
  description: 'The recovery codes stop working as well.',
  body: Type.Object({ password: Type.Optional(Type.String({ description: 'yours, if you have one' })) }),
  response: { 204: Type.Null({ description: 'The password is enough from now on.' }) },
  errors: ['passwordWrong', 'tooManySignIns', 'totpOff'] as const,
  examples: { ended: { summary: 'Without a password', body: {}, status: 204 } },
};

/** A POST, as it has a body: not everything on the way keeps that of a DELETE. */
export function endTotpRoute(app: FastifyInstance, service: Service): void {
  const operation = { method: 'POST', path: '/account/totp/end', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, readBody, request }) => {
    const { password } = readMembers(readBody(), ['password']);
    await confirmIdentity(service, signedIn, readOptionalText(password, 'password'), networkOf(clientAddress(request)));
    const outcome = await service.storage.secondFactors.end(signedIn.account.accountId);
    if (outcome === 'off') throw new InnkeeperError('totpOff');
    return undefined;
  });
}
