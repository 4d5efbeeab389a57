import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { createUsersClient, isInnkeeperError } from '@innkeeper/client/users';

export type BackEndOptions = {
  innkeeperUrl: string;
  clientId: string;
  clientSecret: string;
  /** The folder of the built page. */
  pageFolder: string;
};

type Reply = { status?: number; type?: string; body?: string | Buffer; cookie?: string };

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/**
 * The back end of the application: it knows who is signed in and the clientSecret, and gives the page access tokens for
 * Innkeeper. Names without passwords, sessions in memory: only what the example is about is real.
 */
export function createBackEnd({ innkeeperUrl, clientId, clientSecret, pageFolder }: BackEndOptions): Server {
  const users = createUsersClient({ baseUrl: innkeeperUrl, clientId, clientSecret });
  const sessions = new Map<string, { clientUserId: string; clientUserName: string }>();

  const routes: Record<string, (request: IncomingMessage, session: string) => Promise<Reply>> = {
    'GET /connection': async () => json({ baseUrl: innkeeperUrl, apiKey: clientId }),
    'GET /me': async (_, session) => json({ name: sessions.get(session)?.clientUserName ?? null }),
    async 'POST /sign-in'(request) {
      const name = (await textOf(request)).trim();
      if (name === '' || name.length > 100) return { status: 400, body: 'A name has 1 to 100 characters.' };
      const fresh = randomUUID();
      sessions.set(fresh, { clientUserId: name.toLowerCase(), clientUserName: name });
      return { status: 204, cookie: `session=${fresh}; HttpOnly; SameSite=Strict; Path=/` };
    },
    async 'POST /token'(_, session) {
      const user = sessions.get(session);
      // Created in Innkeeper when there is none yet.
      return user ? { body: (await users.signIn(user)).access_token } : { status: 401, body: 'Sign in first.' };
    },
    async 'POST /delete-account'(_, session) {
      const user = sessions.get(session);
      if (!user) return { status: 401, body: 'Sign in first.' };
      await users.deleteUser((await users.signIn(user)).service_user_code);
      sessions.delete(session);
      return { status: 204 };
    },
  };

  async function respond(request: IncomingMessage): Promise<Reply> {
    const pathname = request.url?.split('?')[0] ?? '/';
    const route = routes[`${request.method} ${pathname}`];
    try {
      return await (route ? route(request, sessionOf(request)) : file(pageFolder, pathname));
    } catch (error) {
      const reported = isInnkeeperError(error) ? `${error.code} ${error.message}` : String(error);
      console.error(`${request.method} ${pathname}: ${reported}`);
      return { status: 502, body: 'The service cannot be reached.' };
    }
  }

  return createServer((request, response) => {
    void respond(request).then(({ status = 200, type = 'text/plain', body, cookie }) => {
      response.writeHead(status, {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-store',
        ...(cookie && { 'set-cookie': cookie }),
      });
      response.end(body);
    });
  });
}

const json = (body: unknown): Reply => ({ type: 'application/json', body: JSON.stringify(body) });

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > 1000) break;
  }
  return text;
}

function sessionOf({ headers: { cookie = '' } }: IncomingMessage): string {
  return /(?:^|; )session=([\w-]+)/.exec(cookie)?.[1] ?? '';
}

async function file(folder: string, pathname: string): Promise<Reply> {
  const path = join(folder, normalize(pathname === '/' ? '/index.html' : `/${pathname}`));
  try {
    return { type: TYPES[extname(path)] ?? 'application/octet-stream', body: await readFile(path) };
  } catch {
    return { status: 404, body: 'There is nothing here.' };
  }
}
