import { randomBytes } from 'node:crypto';
import type { Credentials, Factor } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';
import type { Service } from '../service.ts';
import { admitCode } from './admit-attempt.ts';
import { findTotpStep, toBase32 } from './totp.ts';

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/**
 * The factor to use up; undefined if the account needs none. Call it when everything else was right. Recovery codes
 * cannot be guessed, so their owner can use one even while someone else guesses codes.
 */
export async function readFactor(
  service: Service,
  emailKey: string,
  { sealedTotp }: Credentials,
  code: string | undefined,
): Promise<Factor | 'needed' | 'wrong' | undefined> {
  const { keyring, now } = service;
  if (sealedTotp === null) return undefined;
  if (code === undefined) return 'needed';
  const bare = code.replaceAll(/[\s-]/g, '').toLowerCase();
  if (/^[a-z2-7]{16}$/.test(bare)) return { recoveryHash: keyring.hashRecoveryCode(bare) };
  await admitCode(service, emailKey);
  const secret = keyring.unsealTotp(sealedTotp);
  const step = secret && findTotpStep(secret, bare, now());
  return step === undefined ? 'wrong' : { step };
}

/** Each works once, in place of a code. They are only in this result: just their hashes are stored. */
export function makeRecoveryCodes(keyring: Keyring): { codes: string[]; hashes: string[] } {
  const bare = Array.from({ length: RECOVERY_CODES }, () => toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase());
  return {
    codes: bare.map((code) => (code.match(/.{4}/g) as string[]).join('-')),
    hashes: bare.map((code) => keyring.hashRecoveryCode(code)),
  };
}
