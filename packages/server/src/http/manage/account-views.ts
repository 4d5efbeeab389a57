import { Type } from '../../schema.ts';
import type { AccountRecord, ManageTokenRecord, SessionRecord } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { AccessShape, Nullable, Time } from './schemas.ts';

export const SignedInShape = Type.Object(
  {
    accountId: Type.String({ format: 'uuid' }),
    email: Type.String(),
    role: Type.Enum(['owner'], { description: 'of every application' }),
    sessionId: Type.String({ format: 'uuid' }),
    signedInAt: Time,
    expiresAt: Type.String({ description: 'UTC; moves on while the session is used, up to 30 days' }),
  },
  { title: 'SignedIn' },
);

export function viewSignedIn({ account, session }: { account: AccountRecord; session: SessionRecord }) {
  return {
    accountId: account.accountId,
    email: account.email,
    role: account.role,
    sessionId: session.sessionId,
    signedInAt: formatTime(session.createdAt),
    expiresAt: formatTime(session.endsAt),
  };
}

export const SessionShape = Type.Object(
  {
    sessionId: Type.String({ format: 'uuid' }),
    current: Type.Boolean({ description: 'the one that asks' }),
    userAgent: Type.String({ description: 'what the browser called itself' }),
    signedInAt: Time,
    lastSeenAt: Type.String({ description: 'UTC, to the minute or so' }),
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

/** `clientIds` of the applications by their number; null for `apps` means all of them. */
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
