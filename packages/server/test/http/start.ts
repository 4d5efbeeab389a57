import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from '../../src/config.ts';
import { createApplication, type NewApplication } from '../../src/domain/applications/application.ts';
import type { OpenApiDocument } from '../../src/http/docs/describe-api.ts';
import { type RunningServer, startServer } from '../../src/serve.ts';
import type { Settings } from '../../src/service-settings.ts';
import { freePort } from '../free-port.ts';
import { DocumentedResponses } from './documented-answers.ts';

export const SECRET = 'a secret for tests only, long enough 0123456789';

export type Answer = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

export type TestServer = RunningServer & {
  /** Creates an application, separate from those of other tests. */
  application(settings?: Record<string, unknown>): Promise<NewApplication & { appId: number }>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(
    method: string,
    path: string,
    init?: { body?: string | Uint8Array<ArrayBuffer> | URLSearchParams; headers?: Record<string, string> },
  ): Promise<Answer>;
};

/** Long enough that only a real hang exceeds it, even on a busy machine. */
const TOKEN_SERVICE_MS = 60_000;

/** The whole service in this process, on a real database and a real port. */
export async function startTestServer(
  databaseUrl: string,
  settings: Settings = {},
  { tokenServiceMs = TOKEN_SERVICE_MS, ...limits }: Pick<Config, 'actMs'> & { tokenServiceMs?: number } = {},
): Promise<TestServer> {
  const port = String(await freePort());
  const config = readConfig(
    { databaseUrl, secret: SECRET, port, logLevel: 'silent', publicUrl: `http://127.0.0.1:${port}`, ...settings },
    { env: {} },
  );
  const tokenService = config.tokenService && { ...config.tokenService, timeoutMs: tokenServiceMs };
  const server = await startServer({ ...config, tokenService, ...limits });
  let documented: DocumentedResponses | undefined;
  const send: TestServer['send'] = async (method, path, init = {}) => {
    const response = await fetch(server.url + path, { method, redirect: 'manual', ...init });
    const text = await response.text();
    const type = response.headers.get('content-type');
    const isJson = type?.startsWith('application/json');
    // In every test, every response must match the OpenAPI document.
    documented ??= await documentOf(server.url, settings);
    const problem = documented.problemWith({ method, path, status: response.status, type, text });
    if (problem !== undefined) throw new Error(problem);
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : {},
    };
  };
  return {
    ...server,
    async close() {
      dropIdleConnections();
      await server.close();
    },
    send,
    post: (path, body, headers = {}) =>
      send('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }),
    async application(settings) {
      const { storage, keyring } = server.service;
      const application = await createApplication(storage, keyring, 'Test', Date.now());
      const appId = Number(application.clientId.split('_')[0]);
      if (settings) {
        await storage.applications.update(appId, { set: settings });
        // The service may have cached the application without its settings, and a refresh in progress may have begun
        // too early.
        await server.service.refresh();
        await server.service.refresh();
      }
      return { ...application, appId };
    },
  };
}

/** The connection pool of `fetch`. */
const AGENT = Symbol.for('undici.globalDispatcher.2');
type Agent = { close(): Promise<void>; constructor: new () => Agent };

/**
 * A closing server leaves idle connections open for 300 ms, in case a client is just sending. Dropping them first saves
 * that time.
 */
function dropIdleConnections(): void {
  const { [AGENT]: agent } = globalThis as { [AGENT]?: Agent };
  if (!agent) return;
  Object.assign(globalThis, { [AGENT]: new agent.constructor() });
  // Requests in flight are completed. Wait a turn, because requests may not have been assigned a connection yet.
  setImmediate(() => void agent.close());
}

/** The document takes long to build and longer to compile, so it is cached by settings and by content. */
const documents = new Map<string, DocumentedResponses>();

async function documentOf(url: string, settings: Settings): Promise<DocumentedResponses> {
  const key = JSON.stringify(settings);
  const known = documents.get(key) ?? (await readDocument(url));
  documents.set(key, known);
  return known;
}

async function readDocument(url: string): Promise<DocumentedResponses> {
  const text = (await (await fetch(`${url}/openapi.json`)).text()).replaceAll(url, '');
  const known = documents.get(text) ?? new DocumentedResponses(JSON.parse(text) as OpenApiDocument);
  documents.set(text, known);
  return known;
}

export function uniqueName(prefix = 'user'): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

/** Creates a user over HTTP; returns the user's tokens. */
export async function makeUser(server: TestServer, application: NewApplication, clientUserId = uniqueName()) {
  const { clientId, clientSecret } = application;
  const created = await server.post('/api/v2/app/create-user', {
    clientId,
    clientSecret,
    clientUserId,
    clientUserName: 'Test user',
  });
  const { specialToken } = created.json as { specialToken: string };
  return { clientUserId, specialToken };
}

export async function makeSignedInUser(server: TestServer, application: NewApplication, clientUserId?: string) {
  const { specialToken, ...user } = await makeUser(server, application, clientUserId);
  const { clientSecret } = application;
  const granted = await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
  const { service_user_code, access_token } = granted.json as Record<string, string>;
  return { ...user, specialToken, userCode: service_user_code as string, accessToken: access_token as string };
}

export function basic({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
}

export function bearer(accessToken: string): Record<string, string> {
  return { authorization: `Bearer ${accessToken}` };
}
