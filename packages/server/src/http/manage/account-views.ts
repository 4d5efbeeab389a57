import type { SignedIn } from '../../domain/accounts/account.ts';
import { PORTAL_LANGUAGES, readPreferences, THEMES } from '../../domain/accounts/account.ts';
import { neededProof } from '../../domain/accounts/confirm-identity.ts';
import { accessOf, languagesOf } from '../../domain/manage/access.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, Type } from '../../schema.ts';
import type { ManageTokenRecord, SessionRecord } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { AccessShape, Time } from './schemas.ts';

export const PreferencesShape = Type.Object(
  {
    theme: Type.Enum([...THEMES]),
    language: Nullable(Type.Enum([...PORTAL_LANGUAGES], { description: "of the portal; null: the browser's" })),
  },
  { title: 'PortalPreferences' },
);

export const SignedInShape = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    administrator: Type.Boolean({ description: 'an owner of every application, who can create new ones' }),
    hasPassword: Type.Boolean({ description: 'false: only a link can sign in' }),
    needsPassword: Type.Boolean({
      description:
        'whether changes to the account and new tokens require the password; not in the first 15 minutes after a sign-in link',
    }),
    needsLink: Type.Boolean({
      description:
        'whether they require a new sign-in link: there is neither a password nor two-step sign-in, and the last link was used more than 15 minutes ago',
    }),
    totp: Type.Boolean({
      description: 'whether signing in, changes to the account and new tokens require a code from an authenticator app',
    }),
    recoveryCodes: Type.Integer({ description: 'how many are left' }),
    preferences: PreferencesShape,
    applications: Type.Array(
      Type.Object(
        {
          clientId: Type.String(),
          name: Type.String(),
          access: AccessShape,
          languages: Nullable(
            Type.Array(Type.String(), {
              description: 'tags of the languages that a translator is limited to; null: all',
            }),
          ),
        },
        { title: 'ApplicationAccess' },
      ),
      { description: 'applications this account can access, oldest first' },
    ),
    signOutUrl: Nullable(
      Type.String({
        description: 'where to sign out of the OpenID provider too, if it opened the session and offers it',
      }),
    ),
    sessionId: Type.String({ format: 'uuid' }),
    signedInAt: Time,
    expiresAt: Type.String({ description: 'UTC; extended while the session is used, up to 30 days' }),
  },
  { title: 'SignedIn' },
);

export async function viewSignedIn(service: Service, signedIn: SignedIn) {
  const { storage, now } = service;
  const { account, memberships, session } = signedIn;
  const accessTo = accessOf(signedIn);
  const languages = languagesOf(signedIn);
  const isAdministrator = account.role === 'administrator';
  const needed = neededProof(service, signedIn, now());
  const applications = await storage.applications.list(isAdministrator ? undefined : memberships.map(appIdOf));
  return {
    accountId: account.accountId,
    email: account.email,
    administrator: isAdministrator,
    hasPassword: account.hasPassword,
    needsPassword: needed.password,
    needsLink: needed.link,
    totp: account.hasTotp,
    recoveryCodes: account.hasTotp ? await storage.secondFactors.countRecoveryCodes(account.accountId) : 0,
    preferences: readPreferences(account.preferences),
    applications: applications.map(({ appId, clientId, name }) => ({
      clientId,
      name,
      access: accessTo(appId),
      languages: languages(appId),
    })),
    signOutUrl: session.authMethod === 'oidc' ? endSessionUrl(service) : null,
    sessionId: session.sessionId,
    signedInAt: formatTime(session.createdAt),
    expiresAt: formatTime(session.endsAt),
  };
}

function endSessionUrl({ oidc, publicUrl }: Service): string | null {
  return oidc?.provider.endSessionUrl(`${publicUrl}/portal/sign-in`) ?? null;
}

const appIdOf = ({ appId }: { appId: number }): number => appId;

export const SessionShape = Type.Object(
  {
    sessionId: Type.String({ format: 'uuid' }),
    current: Type.Boolean({ description: 'the calling session' }),
    userAgent: Type.String({ description: 'User-Agent of the browser' }),
    signedInAt: Time,
    lastSeenAt: Type.String({ description: 'UTC, to about a minute' }),
    expiresAt: Time,
  },
  { title: 'PortalSession' },
);

export function viewSession(session: SessionRecord, current: SessionRecord) {
  return {
    sessionId: session.sessionId,
    current: session.sessionId === current.sessionId,
    userAgent: session.userAgent,
    signedInAt: formatTime(session.createdAt),
    lastSeenAt: formatTime(session.lastSeenAt),
    expiresAt: formatTime(session.endsAt),
  };
}

export const TokenShape = Type.Object(
  {
    tokenId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    apps: Nullable(Type.Array(Type.String(), { description: 'clientIds' })),
    access: AccessShape,
    createdAt: Time,
    expiresAt: Time,
    expired: Type.Boolean(),
    lastUsedAt: Nullable(Time),
  },
  { title: 'PersonalAccessToken' },
);

/** `clientIds` maps application numbers to clientIds; null for `apps` means all of them. */
export function viewToken(token: ManageTokenRecord, clientIds: ReadonlyMap<number, string>, now: number) {
  return {
    tokenId: token.tokenId,
    name: token.name,
    apps: token.appIds?.flatMap((appId) => clientIds.get(appId) ?? []) ?? null,
    access: token.access,
    createdAt: formatTime(token.createdAt),
    expiresAt: formatTime(token.expiresAt),
    expired: token.expiresAt <= now,
    lastUsedAt: token.lastUsedAt === null ? null : formatTime(token.lastUsedAt),
  };
}

/** Of an account; null: of all. */
export async function listTokens({ storage, now }: Pick<Service, 'storage' | 'now'>, accountId: string | null) {
  const tokens = await storage.manageTokens.list(accountId ?? undefined);
  const appIds = [...new Set(tokens.flatMap((token) => token.appIds ?? []))];
  const applications = await storage.applications.list(appIds);
  const clientIds = new Map(applications.map(({ appId, clientId }) => [appId, clientId]));
  return { items: tokens.map((token) => viewToken(token, clientIds, now())) };
}
