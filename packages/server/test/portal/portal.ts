import { createSetUpLink, createSignInLink } from '../../src/domain/accounts/links.ts';
import type { Answer, TestServer } from '../http/start.ts';

/** What the page of the portal sends with every request. */
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

const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1);

export function openSession(server: TestServer, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return server.post('/manage/v1/session', body, { ...fromPortal, ...headers });
}

/** The name and value of the cookie that an answer sets. */
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

/** Someone in a browser of their own. */
export async function signedIn(server: TestServer, email?: string): Promise<Visitor> {
  const answer = await openSession(server, { token: await signInToken(server, email) });
  if (answer.status !== 201) throw new Error(answer.text);
  return visitorWith(server, cookieOf(answer));
}
