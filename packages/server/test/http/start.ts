import { randomBytes } from 'node:crypto';
import { type Config, readConfig } from '../../src/config.ts';
import { createApplication, type NewApplication } from '../../src/domain/applications/application.ts';
import type { OpenApiDocument } from '../../src/http/docs/describe-api.ts';
import { type RunningServer, startServer } from '../../src/serve.ts';
import type { Settings } from '../../src/service-settings.ts';
import { freePort } from '../free-port.ts';
import { DocumentedAnswers } from './documented-answers.ts';

export const SECRET = 'a secret for tests only, long enough 0123456789';

export type Answer = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

export type TestServer = RunningServer & {
  /** A new application beside the ones of other tests. */
  application(settings?: Record<string, unknown>): Promise<NewApplication & { appId: number }>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(
    method: string,
    path: string,
    init?: { body?: string | Uint8Array<ArrayBuffer> | URLSearchParams; headers?: Record<string, string> },
  ): Promise<Answer>;
};

/** Nothing that works runs into it, however long the processor is taken away. */
const TOKEN_SERVICE_MS = 60_000;

/** The whole service, in this process, on a real database and a real port. */
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
  let documented: DocumentedAnswers | undefined;
  const send: TestServer['send'] = async (method, path, init = {}) => {
    const response = await fetch(server.url + path, { method, redirect: 'manual', ...init });
    const text = await response.text();
    const type = response.headers.get('content-type');
    const isJson = type?.startsWith('application/json');
    // Whatever a test is about: no answer may be other than the OpenAPI document says.
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
        // It may have been met without them; and a look that was under way by now may have been too early.
        await server.service.refresh();
        await server.service.refresh();
      }
      return { ...application, appId };
    },
  };
}

/** Where fetch keeps its connections. */
const AGENT = Symbol.for('undici.globalDispatcher.2');
type Agent = { close(): Promise<void>; constructor: new () => Agent };

/** A server that closes gives idle connections 300 ms to learn of it, as a client may be about to send. This one is not. */
function dropIdleConnections(): void {
  const { [AGENT]: agent } = globalThis as { [AGENT]?: Agent };
  if (!agent) return;
  Object.assign(globalThis, { [AGENT]: new agent.constructor() });
  // What is in flight on it is answered. Not before the next turn: until then requests may be on their way to it.
  setImmediate(() => void agent.close());
}

/** It takes long to make and longer to compile: once for all servers with the same settings, and for all documents that are the same. */
const documents = new Map<string, DocumentedAnswers>();

async function documentOf(url: string, settings: Settings): Promise<DocumentedAnswers> {
  const key = JSON.stringify(settings);
  const known = documents.get(key) ?? (await readDocument(url));
  documents.set(key, known);
  return known;
}

async function readDocument(url: string): Promise<DocumentedAnswers> {
  const text = (await (await fetch(`${url}/openapi.json`)).text()).replaceAll(url, '');
  const known = documents.get(text) ?? new DocumentedAnswers(JSON.parse(text) as OpenApiDocument);
  documents.set(text, known);
  return known;
}

export function uniqueName(prefix = 'user'): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

/** A user made over HTTP, with the tokens it was given. */
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
