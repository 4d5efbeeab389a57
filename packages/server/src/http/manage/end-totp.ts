import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { accountRoute } from './manage-route.ts';
import { PROOF_ERRORS, ProofAnswer, ProofMembers, proveIdentity } from './proof.ts';

const schema = {
  operationId: 'endTotp',
  summary: 'Turn off two-step sign-in',
  description: 'The recovery codes stop working too.',
  body: Type.Object(ProofMembers),
  response: { 204: Type.Null({ description: 'Two-step sign-in is off.' }), ...ProofAnswer },
  errors: [...PROOF_ERRORS, 'totpOff'] as const,
};

/** A POST, as it has a body: not everything on the way keeps that of a DELETE. */
export function endTotpRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/account/totp/end', schema } as const;
  accountRoute(app, service, operation, async (asked) => {
    const { signedIn, readBody } = asked;
    const { password, code } = readBody();
    await proveIdentity(service, asked, { password, code });
    const outcome = await service.storage.secondFactors.end(signedIn.account.accountId);
    if (outcome === 'off') throw new InnkeeperError('totpOff');
    return undefined;
  });
}
