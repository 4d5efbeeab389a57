import type { ManageTokenRecord, Person } from '../../storage/port.ts';
import { endOf, isSessionToken, type SignedIn } from '../accounts/sign-in.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { type Access, accessOf, languagesOf, minAccess } from './access.ts';
import { isManageToken, tokenAuthor } from './manage-token.ts';

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
  const languages = languagesOf(signedIn);
  return { author, accountId, accessTo: accessOf(signedIn), languagesOf: languages, canCreateApplications, signedIn };
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
