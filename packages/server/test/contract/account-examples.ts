import { randomUUID } from 'node:crypto';
import type {
  AccountRecord,
  ManageTokenRecord,
  NewAccount,
  NewInvitation,
  NewLink,
  NewSession,
} from '../../src/storage/port.ts';
import { hash, MINUTE, NOW } from './examples.ts';

export function account(email = 'Ada@example.com', given: Partial<NewAccount> = {}): NewAccount {
  const emailKey = email.toLowerCase();
  const role = 'administrator' as const;
  return { accountId: randomUUID(), email, emailKey, role, passwordHash: null, createdAt: NOW, ...given };
}

export function link(given: Partial<NewLink> = {}): NewLink {
  return { linkHash: hash(), expiresAt: NOW + 60 * MINUTE, ...given };
}

export function session(given: Partial<NewSession> = {}): NewSession {
  return {
    sessionId: randomUUID(),
    sessionHash: hash(),
    createdAt: NOW,
    lastSeenAt: NOW,
    endsAt: NOW + 60 * MINUTE,
    userAgent: 'Browser/1.0 "ü"',
    authMethod: 'link',
    ...given,
  };
}

export function invitation(appId: number, email: string, given: Partial<NewInvitation> = {}): NewInvitation {
  return {
    invitationId: randomUUID(),
    inviterId: null,
    linkHash: hash(),
    appId,
    email,
    emailKey: email.toLowerCase(),
    role: 'translator',
    languages: null,
    invitedBy: 'ada@example.com',
    createdAt: NOW,
    expiresAt: NOW + 60 * MINUTE,
    ...given,
  };
}

export function manageToken(given: Partial<ManageTokenRecord> = {}): ManageTokenRecord {
  return {
    tokenId: randomUUID(),
    tokenHash: hash(),
    accountId: null,
    name: 'deploy "büro"',
    appIds: null,
    access: 'write',
    createdAt: NOW,
    expiresAt: NOW + 60 * MINUTE,
    lastUsedAt: null,
    ...given,
  };
}

export function recordOf({ emailKey: _, passwordHash, ...made }: NewAccount): AccountRecord {
  return { ...made, hasPassword: passwordHash !== null, hasTotp: false, preferences: '{}' };
}
