import { hashPassword } from '../../domain/accounts/password.ts';
import { requirePassword } from '../../domain/accounts/password-rules.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { accountRoute } from './manage-route.ts';
import { CodeMember, PROOF_ERRORS, ProofAnswer, proveIdentity, TYPED } from './proof.ts';

const schema = {
  operationId: 'changePassword',
  summary: 'Set or change your password',
  description:
    'Ends your other sessions. Requires the current password, except in the first 15 minutes after a sign-in link, and a code if two-step sign-in is on.',
  body: Type.Object({
    current: Type.Optional(Type.String({ ...TYPED, description: 'the current password' })),
    password: Type.String({ description: '12 to 256 characters, not a common password' }),
    ...CodeMember,
  }),
  response: { 204: Type.Null({ description: 'The password was changed.' }), ...ProofAnswer },
  errors: ['passwordsOff', ...PROOF_ERRORS] as const,
};

export function changePasswordRoute(app: Routes, service: Service): void {
  const operation = { method: 'PUT', path: '/account/password', schema } as const;
  accountRoute(app, service, operation, async (asked) => {
    const { current, password, code } = asked.readBody();
    if (!service.passwords) throw new InnkeeperError('passwordsOff');
    const { account, session } = asked.signedIn;
    const wanted = requirePassword(password, account.email);
    await proveIdentity(service, asked, { password: current, code });
    const { accounts } = service.storage;
    const outcome = await accounts.setPassword(account.accountId, await hashPassword(wanted), session.sessionId);
    if (outcome === 'unknown') throw new InnkeeperError('sessionEnded');
    return undefined;
  });
}
