import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderOpenapiDoc } from '../../scripts/write-openapi.ts';
import { type Demo, fillDemo } from '../../src/demo/make-demo.ts';
import { makeAccount } from '../../src/domain/accounts/account.ts';
import { makeTotpSecret, totpCode } from '../../src/domain/accounts/confirm-identity.ts';
import { inviteMember, joinByInvitation } from '../../src/domain/accounts/invitations.ts';
import { hashPassword } from '../../src/domain/accounts/password.ts';
import { type Application, createApplication } from '../../src/domain/applications/application.ts';
import { ERRORS } from '../../src/domain/errors.ts';
import { createWebhook } from '../../src/domain/webhooks/manage-webhooks.ts';
import type { OpenApiDocument } from '../../src/http/docs/describe-api.ts';
import { EXAMPLE, loadExamples } from '../../src/http/docs/examples.ts';
import type { Example } from '../../src/http/docs/shared-shapes.ts';
import type { AuditEntry } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import {
  DocumentedResponses,
  type ResolvedContent,
  type ResolvedOperation,
  withoutReferences,
} from '../http/documented-answers.ts';
import { basic, bearer, startTestServer, type TestServer } from '../http/start.ts';
import { manageWith } from '../manage/manage.ts';
import { cookieOf, fromPortal, openSession, signInToken } from '../portal/portal.ts';

const referring: OpenApiDocument = JSON.parse(await renderOpenapiDoc());
const document = withoutReferences(referring);
const documented = new DocumentedResponses(referring);

/** The account, team and webhook in the examples of /manage/v1. */
const ACCOUNT_EMAIL = 'owner@example.com';
const PASSWORD = 'seven plums in a paper boat';
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const GRACE = { email: 'grace@translators.example' };
const INVITATION = { email: 'hedy@translators.example', invitedBy: 'token:ci (d24e5f607189)' };
const WEBHOOK_EXAMPLE = {
  url: 'https://app.example.com/innkeeper-events',
  types: ['selection.saved', 'selection.unset'],
  description: 'Mailing list',
  maxPerSecond: null,
};

/** A request from the document: one per example of an operation, with the response of the same name. */
type Request = {
  title: string;
  method: string;
  path: string;
  operation: ResolvedOperation;
  name: string;
  status: string;
};

type Visitor = { cookie: string; accountId: string; sessionId: string; manageTokenId: string };

type OptionKey = { name: string; option_key_uid: string; option_group_uid: string };

/** Streams that only end when the client does: test/http/events.test.ts reads them. */
const ENDLESS = ['followUserOptions'];

const requests = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    (ENDLESS.includes(operation.operationId) ? [] : namesOf(operation)).map(({ name, status }): Request => {
      const title = `${operation.operationId}: ${name}`;
      return { title, method: method.toUpperCase(), path, operation, name, status };
    }),
  ),
);

/** The names of all examples, of requests and successful responses; a single empty name if there are none. */
function namesOf(operation: ResolvedOperation): { name: string; status: string }[] {
  const bodies = Object.values(operation.requestBody?.content ?? {}).flatMap(({ examples }) =>
    Object.keys(examples ?? {}),
  );
  const parameters = (operation.parameters ?? []).flatMap(({ examples }) => Object.keys(examples ?? {}));
  const answers = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    Object.values(content ?? {}).flatMap(({ examples = {} }) =>
      Object.keys(examples).flatMap((name) => (name in ERRORS ? [] : [[name, status] as const])),
    ),
  );
  const statuses = new Map(answers);
  const names = new Set([...bodies, ...parameters, ...statuses.keys()]);
  const success = Object.keys(operation.responses).find((status) => status.startsWith('2')) as string;
  if (names.size === 0) return [{ name: '', status: success }];
  return [...names].map((name) => ({ name, status: statuses.get(name) ?? success }));
}

test('every operation has an example with its actual response', () => {
  const all = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => !ENDLESS.includes(operationId));
  expect(all.filter((operation) => !requests.some((request) => request.operation === operation))).toEqual([]);
  const silent = requests.filter(({ operation, name, status }) => {
    const content = operation.responses[status]?.content?.['application/json'];
    return content !== undefined && exampleOf(content, name) === undefined;
  });
  expect(silent.map(({ title }) => title)).toEqual([]);
});

test('every example belongs to an operation', async () => {
  const known = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(Object.keys(await loadExamples()).filter((name) => !known.includes(name))).toEqual([]);
});

test('examples of errors match their schemas', () => {
  for (const { operation, method, path } of requests) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      for (const example of Object.values(content?.['application/json']?.examples ?? {})) {
        const { value } = example;
        const seen = { method, path, status: Number(status), type: 'application/json', text: JSON.stringify(value) };
        expect(documented.problemWith(seen)).toBeUndefined();
      }
    }
  }
});

test('undocumented responses are detected', () => {
  const seen = { method: 'GET', path: '/livez', status: 200, type: 'application/json', text: '{"status":"ok"}' };
  expect(documented.problemWith(seen)).toBeUndefined();
  expect(documented.problemWith({ ...seen, text: '{"status":"ok","more":1}' })).toContain('additional properties');
  expect(documented.problemWith({ ...seen, text: '{"status":"fine"}' })).toContain('must be equal to constant');
  expect(documented.problemWith({ ...seen, status: 418 })).toContain('HTTP 418 is not documented');
  expect(documented.problemWith({ ...seen, type: 'text/html' })).toContain('text/html');
});

describe.each(databases)('on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    // Nothing listens there: other tests cover mail.
    const mail = { smtpUrl: 'smtp://127.0.0.1:1', mailFrom: 'innkeeper@example.com' };
    server = await startTestServer(await database.fresh(), mail);
  });
  afterAll(() => server.close());

  /** Creates a demo as the first start does. Each example has its own, because some of them delete things. */
  async function makeDemo(): Promise<Demo> {
    const { storage, keyring, now } = server.service;
    return fillDemo(storage, keyring, await createApplication(storage, keyring, 'Demo', now()), now());
  }

  /** The values for the placeholders: Ada has signed in, and has saved a selection unless the example creates it. */
  async function values(
    demo: Demo,
    visitor: Visitor,
    { status, operation, name }: Request,
  ): Promise<Record<keyof typeof EXAMPLE, string>> {
    const { clientId, clientSecret, ada, theme } = demo;
    const { operationId } = operation;
    if (name === 'withPassword') {
      const { accounts } = server.service.storage;
      await accounts.setPassword(visitor.accountId, await hashPassword(PASSWORD), visitor.sessionId);
    }
    const clientUserId = EXAMPLE.clientUserId;
    const exchange = async () => {
      const { json } = await server.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId });
      return json.specialToken as string;
    };
    const specialToken = await exchange();
    const granted = await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    const [accessToken] = await server.service.storage.tokens.list(ada, server.service.now());
    const { groupUid, keyUid } = theme;
    const choice = { user_uid: ada, option_group_uid: groupUid, option_key_uid: keyUid, value: ['dark'] };
    const saved = status === '201' ? undefined : await server.post('/api/user_options', choice, { apiKey: clientId });
    const { json } = await server.send('GET', '/api/option_keys', { headers: { apiKey: clientId } });
    const keys = new Map((json.items as OptionKey[]).map((key) => [key.name, key]));
    return {
      publicUrl: server.url,
      clientId,
      clientSecret,
      clientUserId,
      newClientUserId: EXAMPLE.newClientUserId,
      userCode: ada,
      specialToken: await exchange(),
      accessToken: granted.json.access_token as string,
      accessTokenId: accessToken?.tokenId as string,
      groupUid,
      secondGroupUid: keys.get('newsletter')?.option_group_uid as string,
      keyUid,
      secondKeyUid: keys.get('text_size')?.option_key_uid as string,
      userOptionsUid: (saved?.json.user_options_uid as string | undefined) ?? randomUUID(),
      linkToken: await signInToken(server, ACCOUNT_EMAIL),
      // Different every time, so not compared.
      preferenceLink: 'a link',
      receipt: 'a receipt',
      sessionId: visitor.sessionId,
      manageTokenId: visitor.manageTokenId,
      ...(await makeTeam(demo, operationId)),
      webhookId: await makeWebhook(demo, operation),
      totpCode: await turnOnTotp(visitor, operationId),
    };
  }

  /** Signs in the service's owner, with one personal access token for the demo. */
  async function visitPortal({ clientId }: Demo) {
    await server.service.storage.accounts.delete(ACCOUNT_EMAIL);
    const token = await signInToken(server, ACCOUNT_EMAIL);
    const answer = await openSession(server, { token }, { 'user-agent': USER_AGENT });
    const { accountId, sessionId } = answer.json as { accountId: string; sessionId: string };
    await manageWith(server, { name: 'ci', accountId, appIds: [Number(clientId.split('_')[0])] });
    const [made] = await server.service.storage.manageTokens.list(accountId);
    return { cookie: cookieOf(answer), accountId, sessionId, manageTokenId: made?.tokenId as string };
  }

  /** Adds a translator and a pending invitation, for the owner if the example accepts it. */
  async function makeTeam({ clientId }: Demo, operationId: string) {
    const { service } = server;
    const appId = Number(clientId.split('_')[0]);
    const invite = async (email: string) => {
      const { link, invitation } = await inviteMember(service, {
        appId,
        email,
        role: 'translator',
        invitedBy: INVITATION.invitedBy,
        inviterId: null,
      });
      return { invitationToken: link.slice(link.indexOf('#') + 1), invitationId: invitation.invitationId };
    };
    const grace = makeAccount(GRACE.email, { role: 'member', now: service.now() });
    const unused = { linkHash: service.keyring.hashLink(randomUUID()), expiresAt: service.now() };
    const { account } = await service.storage.accounts.createWithLink(grace, unused);
    await joinByInvitation(service, account, (await invite(GRACE.email)).invitationToken);
    const pending = await invite(operationId === 'acceptInvitation' ? ACCOUNT_EMAIL : INVITATION.email);
    return { memberAccountId: account.accountId, ...pending };
  }

  /** Only for operations on webhooks that do not create one: every webhook is sent the events of all later tests. */
  async function makeWebhook({ clientId }: Demo, operation: ResolvedOperation): Promise<string> {
    const isNeeded = JSON.stringify(operation).includes(EXAMPLE.webhookId);
    if (!isNeeded || operation.operationId === 'createWebhook') return EXAMPLE.webhookId;
    const application = await server.service.applications.findByClientId(clientId);
    const { url, types, description, maxPerSecond } = WEBHOOK_EXAMPLE;
    const wanted = { url, types, description, maxPerSecond };
    const made = await createWebhook(server.service, application as Application, wanted);
    return made.webhook.webhookId;
  }

  /** Sets up what the operation needs, and returns the authenticator app's current code. */
  async function turnOnTotp({ accountId }: Visitor, operationId: string): Promise<string> {
    const { storage, keyring, now } = server.service;
    const [secret, step] = [makeTotpSecret(), Math.floor(now() / 30_000)];
    const pendingTotp = keyring.sealTotp(secret);
    if (/Totp$|RecoveryCodes$/.test(operationId)) await storage.secondFactors.begin(accountId, pendingTotp);
    if (/^endTotp$|RecoveryCodes$/.test(operationId)) {
      // Confirmed with the previous code, because a code works only once.
      await storage.secondFactors.confirm(accountId, { pendingTotp, step: step - 1, recoveryHashes: [] });
    }
    return totpCode(secret, step);
  }

  /** Publishes a second revision. */
  async function archiveGroup({ clientId }: Demo, groupUid: string): Promise<void> {
    const manage = await manageWith(server);
    const path = `/applications/${clientId}/catalog/groups/${groupUid}`;
    expect(await manage.send('DELETE', path, undefined, { 'if-match': '"1"' })).toMatchObject({ status: 200 });
  }

  const ANY = { 'if-match': '*' };

  /** Starts a draft with one German text. */
  async function beginDraft({ clientId }: Demo): Promise<void> {
    const manage = await manageWith(server, { name: 'ci' });
    const texts = [{ path: 'appearance/theme', language: 'de', text: 'Farben' }];
    const path = `/applications/${clientId}/catalog/translations?draft=true`;
    expect(await manage.send('PATCH', path, { texts }, ANY)).toMatchObject({ status: 200 });
  }

  async function undo({ clientId }: Demo): Promise<void> {
    const manage = await manageWith(server, { name: 'ci' });
    const path = `/applications/${clientId}/catalog/draft/undo`;
    expect(await manage.send('POST', path, undefined, ANY)).toMatchObject({ status: 200 });
  }

  test.each(requests)('$title', async (request) => {
    const { method, operation, name, status } = request;
    const demo = await makeDemo();
    const visitor = await visitPortal(demo);
    const real = await values(demo, visitor, request);
    if (operation.operationId === 'restoreRevision') await archiveGroup(demo, real.secondGroupUid);
    if (/^(get|discard|publish|undo|redo)Draft$/.test(operation.operationId)) await beginDraft(demo);
    if (/DeletionReceipt$/.test(operation.operationId)) {
      await server.service.storage.users.delete(Number(demo.clientId.split('_')[0]), demo.ada);
    }
    if (operation.operationId === 'redoDraft') await undo(demo);
    if (operation.operationId === 'listAudit') await rename(demo);
    const audited = await auditOf(demo);
    const fill = <T>(value: T): T =>
      JSON.parse(
        Object.entries(document['x-stand-ins']).reduce(
          (text, [standIn, written]) => text.replaceAll(written, real[standIn as keyof typeof EXAMPLE]),
          JSON.stringify(value),
        ),
      );

    let { path } = request;
    const query = new URLSearchParams();
    const headers: Record<string, string> = await authorization(demo, visitor, operation);
    for (const parameter of operation.parameters ?? []) {
      const example = parameter.examples?.[name];
      if (!example) continue;
      const value = String(fill((example as Example).value));
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
      else if (parameter.in === 'query') query.set(parameter.name, value);
      else headers[parameter.name] = value;
    }
    expect(path).not.toContain('{');
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const example = exampleOf(content, name);
    const body = example === undefined ? undefined : fill(example);
    const answer = await server.send(method, `${path}?${query}`, {
      headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && {
        body: type === 'application/json' ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>),
      }),
    });

    expect(`${answer.status} ${answer.text}`).toMatch(new RegExp(`^${status} `));
    const seen = { method, path, status: answer.status, type: answer.headers.get('content-type'), text: answer.text };
    expect(documented.problemWith(seen)).toBeUndefined();
    const expected = exampleOf(operation.responses[status]?.content?.['application/json'], name);
    if (expected !== undefined) expect(neutral(answer.json)).toEqual(neutral(fill(expected)));
    const isChange = path.startsWith('/manage/v1/') && method !== 'GET' && answer.status < 300;
    if (isChange) {
      const { clientId = demo.clientId } = answer.json as { clientId?: string };
      const reported = (await auditOf({ clientId })).filter(
        ({ auditUid }) => !audited.some((each) => each.auditUid === auditUid),
      );
      expect(reported.length > 0).toBe(!UNAUDITED.has(operation.operationId));
    }
  });

  /** The audit log of this application, and of the installation. */
  async function auditOf({ clientId }: { clientId: string }): Promise<AuditEntry[]> {
    const all = { before: null, limit: 1000 };
    const { audit } = server.service.storage;
    return [...(await audit.list(Number(clientId.split('_')[0]), {}, all)), ...(await audit.list(null, {}, all))];
  }

  async function rename({ clientId }: Demo): Promise<void> {
    const manage = await manageWith(server, { name: 'ci' });
    expect(await manage.send('PATCH', `/applications/${clientId}`, { name: 'My app' })).toMatchObject({ status: 200 });
  }

  /** Credentials that the operation accepts: a token for this application or the application's own, if possible. */
  async function authorization(
    demo: Demo,
    visitor: Visitor,
    operation: ResolvedOperation,
  ): Promise<Record<string, string>> {
    const names = operation.security.flatMap((each) => Object.keys(each));
    if (names.includes('manageToken')) {
      const isOfAll = /^(createApplication|listInstallationAudit|\w+ManageTokens?)$/.test(operation.operationId);
      const appIds = isOfAll ? null : [Number(demo.clientId.split('_')[0])];
      // The visitor has two tokens; the operator would see those of every test.
      const accountId = operation.operationId.includes('ManageToken') ? visitor.accountId : null;
      return bearer((await manageWith(server, { name: 'ci', appIds, accountId })).token);
    }
    if (['createSession', 'readLink', 'mailLink'].includes(operation.operationId))
      return { 'sec-fetch-site': fromPortal['sec-fetch-site'] };
    if (names.includes('portalSession')) return { ...fromPortal, cookie: visitor.cookie };
    return {
      ...(names.includes('apiKey') && { apiKey: demo.clientId }),
      ...(names.includes('basic') && basic(demo)),
    };
  }
});

function exampleOf(content: ResolvedContent | undefined, name: string): unknown {
  const example = content?.examples?.[name];
  return example?.value;
}

/** These change nothing, or sign somebody in or out. All others must be audited. */
const UNAUDITED = new Set([
  ...['planCatalog', 'previewTranslations', 'migrateValues', 'createSession', 'endSession', 'endAccountSession'],
  ...['readLink', 'mailLink', 'beginTotp', 'changePreferences'],
]);

const DIFFERENT = new Set([
  ...['clientSecret', 'specialToken', 'access_token', 'token', 'iat', 'exp', 'x', 'y', 'kid'],
  ...['fingerprint', 'durationMs', 'averageMilliseconds', 'authorization', 'from', 'secret', 'uri', 'link', 'import'],
  ...['url', 'list_unsubscribe'],
  // Recorded after the response was sent.
  'lastUsedAt',
]);

/** Replaces everything that differs from run to run. */
function neutral(value: unknown, name = ''): unknown {
  // The demos of all earlier examples are listed too.
  if (name === 'applications') return neutral((value as unknown[]).slice(0, 1));
  if (Array.isArray(value)) return value.map((each) => neutral(each));
  // The response of a "try it" request: shortened in the document, and checked by that operation's own example.
  if (name === 'answer') return 'an answer';
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, neutral(each, key)]));
  }
  if (DIFFERENT.has(name)) return `a ${name}`;
  if (typeof value !== 'string') return value;
  return value
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'a UUID')
    .replace(/^(token:.*) \([\da-f]{12}\)$/, '$1 (an id)')
    .replace(/^eyJ[\w-]+(\.[\w-]+){2}$/, 'a receipt')
    .replace(/^\w{4}(-\w{4}){3}$/, 'a recovery code')
    .replace(/^\d+_[\da-f]{32}$/, 'a clientId')
    .replace(/^evt_\w{13}$/, 'an event')
    .replace(/^[\w-]{22}$/, 'a cursor')
    .replace(/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{3}Z?)?$/, 'a time');
}
