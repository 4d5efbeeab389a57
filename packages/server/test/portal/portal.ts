import { makeAccount } from '../../src/domain/accounts/account.ts';
import { inviteMember, joinByInvitation } from '../../src/domain/accounts/invitations.ts';
import { createSetUpLink, createSignInLink } from '../../src/domain/accounts/links.ts';
import { makeSession } from '../../src/domain/accounts/sign-in.ts';
import type { Role } from '../../src/storage/port.ts';
import type { Answer, TestServer } from '../http/start.ts';
import { uniqueName } from '../http/start.ts';

/** Headers that the portal's page sends with every request. */
export const fromPortal = { 'sec-fetch-site': 'same-origin', 'x-innkeeper-portal': '1' };

export async function signInToken(server: TestServer, email = 'ada@example.com', now = Date.now()): Promise<string> {
  const { storage, keyring, publicUrl } = server.service;
  return tokenOf((await createSignInLink(storage, keyring, { email, publicUrl, now })).link);
}

export async function setUpToken(server: TestServer, now = Date.now()): Promise<string | undefined> {
  const { storage, keyring, publicUrl } = server.service;
  const made = await createSetUpLink(storage, keyring, { publicUrl, now });
  return made && tokenOf(made.link);
}

export const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1);

export function openSession(server: TestServer, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return server.post('/manage/v1/session', body, { ...fromPortal, ...headers });
}

/** The name and value of the cookie that a response sets. */
export function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

export type Visitor = {
  cookie: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
};

export function visitorWith(server: TestServer, cookie: string): Visitor {
  return {
    cookie,
    send: (method, path, body, headers = fromPortal) =>
      server.send(method, `/manage/v1${path}`, {
        headers: { cookie, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}

/** Signs in, like in a new browser. */
export async function signedIn(server: TestServer, email?: string): Promise<Visitor> {
  const answer = await openSession(server, { token: await signInToken(server, email) });
  if (answer.status !== 201) throw new Error(answer.text);
  return visitorWith(server, cookieOf(answer));
}

/** A password that meets the rules. */
export const PASSWORD = 'seven plums in a paper boat';

/** Signs in as a new account with roles in some applications and no other permission. */
export async function memberWith(
  server: TestServer,
  roles: readonly { appId: number; role: Role; languages?: string[] }[],
  email = `${uniqueName('member')}@example.com`,
): Promise<Visitor & { accountId: string; sessionId: string; email: string }> {
  const { storage, keyring, now } = server.service;
  const account = makeAccount(email, { role: 'member', now: now() });
  const link = { linkHash: keyring.hashLink(email), expiresAt: now() + 60_000 };
  const made = await storage.accounts.createWithLink(account, link);
  for (const given of roles) {
    const invited = await inviteMember(server.service, { ...given, email, invitedBy: 'tests', inviterId: null });
    await joinByInvitation(server.service, made.account, tokenOf(invited.link));
  }
  const { sessionToken, session } = makeSession(keyring, { userAgent: 'Tests', authMethod: 'link', now: now() });
  await storage.sessions.openByLink(link.linkHash, now(), session);
  const { accountId } = made.account;
  return { ...visitorWith(server, `innkeeper=${sessionToken}`), accountId, sessionId: session.sessionId, email };
}

/** Decodes an authenticator app's secret as it is displayed. */
export function fromBase32(text: string): Uint8Array {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
