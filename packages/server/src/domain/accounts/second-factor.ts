import { randomBytes } from 'node:crypto';
import type { Credentials, Factor } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import { findTotpStep, toBase32 } from './totp.ts';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** What is to be spent with signing in; undefined where the account asks for nothing more. */
export function askFactor(
  keyring: Keyring,
  { sealedTotp }: Credentials,
  code: string | undefined,
  now: number,
): Factor | undefined {
  if (sealedTotp === null) return undefined;
  if (code === undefined) throw new InnkeeperError('codeNeeded', { more: { needs: 'code' } });
  const bare = code.replaceAll(/[\s-]/g, '').toLowerCase();
  if (/^[a-z2-7]{16}$/.test(bare)) return { recoveryHash: keyring.hashRecoveryCode(bare) };
  const secret = keyring.unsealTotp(sealedTotp);
  const step = secret && findTotpStep(secret, bare, now);
  if (step === undefined) throw new InnkeeperError('signInFailed');
  return { step };
}

/** Each is good once, in place of a code. They are in this answer and nowhere else: only their hashes are kept. */
export function makeRecoveryCodes(keyring: Keyring): { codes: string[]; hashes: string[] } {
  const bare = Array.from({ length: RECOVERY_CODES }, () => toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase());
  return {
    codes: bare.map((code) => (code.match(/.{4}/g) as string[]).join('-')),
    hashes: bare.map((code) => keyring.hashRecoveryCode(code)),
  };
}
