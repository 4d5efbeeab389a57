import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { Credential, ManageTokenRecord, Person, Storage } from '../../storage/port.ts';
import { DURATION_FORM, parseDuration } from '../../time.ts';
import type { SignedIn } from '../accounts/account.ts';
import { endOf, isSessionToken } from '../accounts/sign-in.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import type { Service } from '../service.ts';
import { type Access, accessOf, languagesOf, minAccess } from './access.ts';

/** Precision of the last use of a token or session: a busy program costs one write a minute. */
const USE_MS = 60_000;

/** The credentials sent: a token takes precedence over a session. */
export type Presented = { token?: string; session?: string };

/**
 * The only way into /manage/v1. Tokens and sessions are looked up every time, so that a revoked one fails immediately
 * in every replica.
 */
export async function authorizeManager(service: Service, { token, session }: Presented): Promise<Manager> {
  if (token !== undefined) return admitToken(service, token);
  if (session !== undefined) return admitSession(service, session);
  throw new InnkeeperError('manageTokenMissing');
}

async function admitToken(service: Service, token: string): Promise<Manager> {
  const now = service.now();
  const found = isManageToken(token)
    ? await service.storage.manageTokens.findByHash(service.keyring.hashManageToken(token), now)
    : undefined;
  if (!found) throw new InnkeeperError('manageTokenInvalid');
  const { tokenId, lastUsedAt } = found.token;
  if (lastUsedAt === null || lastUsedAt <= now - USE_MS) {
    unwaited(service.storage.manageTokens.touch(tokenId, now, now - USE_MS));
  }
  return managerOf(found.token, found.owner);
}

async function admitSession({ storage, keyring, now }: Service, token: string): Promise<Manager> {
  const at = now();
  const signedIn = isSessionToken(token)
    ? await storage.sessions.findByHash(keyring.hashSession(token), at)
    : undefined;
  if (!signedIn) throw new InnkeeperError('sessionEnded');
  const { account, session } = signedIn;
  const unlessSince = at - USE_MS;
  if (session.lastSeenAt <= unlessSince) {
    const endsAt = endOf(session.createdAt, at);
    unwaited(storage.sessions.touch(session.sessionId, { at, endsAt, unlessSince }));
  }
  const canCreateApplications = account.role === 'administrator';
  const { accountId, email: author } = account;
  const credential = { sessionId: session.sessionId };
  const languages = languagesOf(signedIn);
  return {
    ...{ author, accountId, credential, accessTo: accessOf(signedIn), languagesOf: languages },
    ...{ canCreateApplications, signedIn },
  };
}

/**
 * A token has the access it was created with, and never more than its owner currently has. The operator's tokens may do
 * everything.
 */
function managerOf(token: ManageTokenRecord, owner: Person | null): Manager {
  const { appIds, access } = token;
  const scope = appIds && new Set(appIds);
  const ofOwner = owner ? accessOf(owner) : () => 'own' as const;
  return {
    author: tokenAuthor(token),
    accountId: owner?.account.accountId ?? null,
    credential: { tokenId: token.tokenId },
    expiresAt: token.expiresAt,
    accessTo(appId) {
      const most = scope === null || scope.has(appId) ? ofOwner(appId) : undefined;
      return most && minAccess(most, access);
    },
    languagesOf: owner ? languagesOf(owner) : () => null,
    canCreateApplications:
      scope === null && access === 'own' && (owner === null || owner.account.role === 'administrator'),
  };
}

/** In the background: nothing depends on it. */
function unwaited(act: Promise<void>): void {
  act.catch(() => {});
}

/** The caller of /manage/v1 and its access: a program with a personal access token, or a person in the portal. */
export type Manager = {
  /** The name in revisions. */
  author: string;
  /** The account of the session or token; null: the operator's. */
  accountId: string | null;
  credential: Credential;
  /** undefined: the application looks like one that does not exist. */
  accessTo(appId: number): Access | undefined;
  /** Tags of the languages whose texts they may change there; null: all. */
  languagesOf(appId: number): readonly string[] | null;
  canCreateApplications: boolean;
  /** Only for a token: what it creates must not outlive it. */
  expiresAt?: number;
  /** Only for a person in the portal. */
  signedIn?: SignedIn;
};

export const DEFAULT_LIFETIME_SECONDS = 90 * 86_400;
const MIN_LIFETIME_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 365 * 86_400;

export type WantedManageToken = {
  name: string;
  /** The owner; null: the operator. */
  accountId: string | null;
  /** With which the owner creates it; undefined: on the command line. */
  credential?: Credential | undefined;
  /** null: all applications. */
  appIds: number[] | null;
  access: Access;
  lifetimeSeconds: number;
};

/** Of an account: they are listed together. */
const MAX_TOKENS = 1_000;

/**
 * The token is only in this result: just its hash is stored. undefined: an application no longer exists.
 */
export async function createManageToken(
  storage: Storage,
  keyring: Keyring,
  { lifetimeSeconds, credential, ...wanted }: WantedManageToken,
  now: number,
): Promise<{ token: string; record: ManageTokenRecord } | undefined> {
  // 256 random bits. The prefix lets secret scanners find one that leaked.
  const token = `ikp_${randomBytes(32).toString('base64url')}`;
  const record: ManageTokenRecord = {
    ...wanted,
    tokenId: randomUUIDv7(),
    tokenHash: keyring.hashManageToken(token),
    createdAt: now,
    expiresAt: now + lifetimeSeconds * 1000,
    lastUsedAt: null,
  };
  const outcome = await storage.manageTokens.create(record, MAX_TOKENS, credential);
  if (outcome === 'too-many') {
    throw new InnkeeperError('limitReached', {
      message: `An account can have at most ${MAX_TOKENS} personal access tokens, including expired ones: revoke one first.`,
    });
  }
  if (outcome === 'credential-gone') throw credentialEnded(credential);
  return outcome === 'created' ? { token, record } : undefined;
}

/** It has ended since the request was admitted. */
export function credentialEnded(credential: Credential | undefined): InnkeeperError {
  return new InnkeeperError(credential && 'tokenId' in credential ? 'manageTokenInvalid' : 'sessionEnded');
}

/** The token's name in the audit log and revisions. Names can repeat; the end of the id does not. */
function tokenAuthor({ name, tokenId }: Pick<ManageTokenRecord, 'name' | 'tokenId'>): string {
  return `token:${name} (${tokenId.slice(-12)})`;
}

function isManageToken(text: string): boolean {
  return /^ikp_[\w-]{43}$/.test(text);
}

/** The lifetime of a token, from `90d` or a number of seconds. */
export function readLifetime(text: string): { seconds: number } | { problem: string } {
  const seconds = parseDuration(text);
  if (seconds === undefined) return { problem: `must be ${DURATION_FORM}` };
  if (seconds < MIN_LIFETIME_SECONDS || seconds > MAX_LIFETIME_SECONDS) {
    return { problem: 'must be from 1 minute to 365 days' };
  }
  return { seconds };
}
