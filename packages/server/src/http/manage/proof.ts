import { confirmIdentity } from '../../domain/accounts/confirm-identity.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { AccountRequest, ApplicationRequest } from './manage-route.ts';

type Proof = { password?: string | undefined; code?: string | undefined };

/** Limits for passwords and codes, which are read before the caller is known. */
export const TYPED = { minLength: 1, maxLength: 1_024 };

export const CodeMember = {
  code: Type.Optional(
    Type.String({
      ...TYPED,
      description: 'from the authenticator app, or a recovery code, if two-step sign-in is on',
    }),
  ),
};
/** Body members of operations that a stolen session must not be able to do. */
export const ProofMembers = {
  password: Type.Optional(Type.String({ ...TYPED, description: 'your password, if you have one' })),
  ...CodeMember,
};
export const PROOF_ERRORS = ['passwordWrong', 'codeWrong', 'linkNeeded', 'tooManySignIns'] as const;
export const ProofResponse = {
  403: Type.Object({
    needs: Type.Optional(
      Type.Enum(['code', 'link'], {
        description: '`code`: send it again with a code. `link`: sign in with a new link first',
      }),
    ),
  }),
};

/**
 * For operations on an application whose effect would outlive a stolen session. A token was created with such a proof
 * already.
 */
export async function proveIfSignedIn(
  service: Service,
  { manager: { signedIn }, request, checkAccess }: ApplicationRequest,
  proof: Proof,
): Promise<void> {
  if (signedIn) await proveIdentity(service, { signedIn, request, checkAccess }, proof);
}

export async function proveIdentity(
  service: Service,
  { signedIn, request, checkAccess }: Pick<AccountRequest, 'signedIn' | 'request' | 'checkAccess'>,
  { password, code }: Proof,
): Promise<void> {
  await confirmIdentity(service, signedIn, { password, code }, request.network);
  // Checking a password takes a while: access may have been revoked meanwhile.
  await checkAccess();
}
