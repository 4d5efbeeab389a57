import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Credentials, Factor } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import type { Service } from '../service.ts';
import { emailKeyOf, type SignedIn } from './account.ts';
import { admitAttempt, admitCode, forgetAttempts } from './admit-attempt.ts';
import { verifyPassword } from './password.ts';

/** How long opening a sign-in link counts as proof of identity. */
const FRESH_MS = 15 * 60_000;

/** The password, and a code if the account requires one. */
type Proof = { password: string | undefined; code: string | undefined };

/** What a sensitive action requires at the moment. */
type NeededProof = { password: boolean; code: boolean; link: boolean };

/**
 * A recent sign-in link replaces the password, for people who have forgotten it, and so does a recent sign-in with the
 * identity provider. Neither replaces the code. An account with neither password nor code has to sign in again.
 */
export function neededProof(
  { passwords }: Pick<Service, 'passwords'>,
  { account, session }: SignedIn,
  now: number,
): NeededProof {
  // A clock that was set back makes no sign-in recent.
  const isFresh = session.authMethod !== 'password' && Math.abs(now - session.createdAt) < FRESH_MS;
  const hasPassword = passwords && account.hasPassword;
  return {
    password: hasPassword && !isFresh,
    code: account.hasTotp,
    link: !hasPassword && !account.hasTotp && !isFresh,
  };
}

/** Required before anything that would outlive a stolen session. */
export async function confirmIdentity(
  service: Service,
  signedIn: SignedIn,
  { password, code }: Proof,
  network: string,
): Promise<void> {
  const { storage, now } = service;
  const { account } = signedIn;
  const needed = neededProof(service, signedIn, now());
  if (needed.link) throw linkNeeded(account.email, service.oidc?.name);
  if (!needed.password && !needed.code) return;
  if (needed.password && password === undefined) {
    throw new InnkeeperError('passwordWrong', { message: 'Your password is required.' });
  }
  const where = { emailKey: emailKeyOf(account.email), network };
  await admitAttempt(service, where);
  const credentials = await storage.accounts.credentials(account.accountId);
  if (!credentials) throw new InnkeeperError('sessionEnded');
  if (needed.password && !(await verifyPassword(credentials.passwordHash, password as string))) {
    throw new InnkeeperError('passwordWrong');
  }
  const factor = await readFactor(service, where.emailKey, credentials, code);
  const isRight =
    factor === undefined ||
    (typeof factor === 'object' && (await storage.secondFactors.spend(account.accountId, factor)));
  if (!isRight) throw new InnkeeperError('codeWrong', { more: { needs: 'code' } });
  await forgetAttempts(service, where);
}

function linkNeeded(email: string, provider: string | undefined): InnkeeperError {
  const message =
    provider === undefined
      ? `Sign in again with a new link to confirm this. The operator creates one: innkeeper admin create --email ${email}`
      : `Sign out and sign in again with ${provider} to confirm this.`;
  return new InnkeeperError('linkNeeded', { message, more: { needs: 'link' } });
}

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

/** RFC 6238 as all authenticator apps implement it: SHA-1, six digits, thirty seconds. */
const STEP_MS = 30_000;
const SECRET_BYTES = 20;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function makeTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** The time step of a code: the current one, or one before or after, to allow for clock differences and slow typing. */
export function findTotpStep(secret: Uint8Array, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const current = Math.floor(now / STEP_MS);
  return [current, current - 1, current + 1].find((step) =>
    timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)),
  );
}

export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) as number) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** The content of the QR code for an authenticator app. */
export function totpUri(secret: Uint8Array, email: string): string {
  const label = encodeURIComponent(`Innkeeper:${email}`);
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=Innkeeper`;
}

export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
