import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderOpenapiDoc } from '../../scripts/write-openapi.ts';
import { ACCESS, type Access, includesAccess } from '../../src/domain/manage/access.ts';
import type { WantedManageToken } from '../../src/domain/manage/authorize-manager.ts';
import type { OpenApiDocument, Operation } from '../../src/http/docs/describe-api.ts';
import { databases } from '../databases.ts';
import { type Answer, startTestServer, type TestServer } from '../http/start.ts';
import { memberWith, visitorWith } from '../portal/portal.ts';
import { manageAs, manageWith } from './manage.ts';

/** Operations come from the OpenAPI document, so new ones are tested automatically. */
const { paths }: OpenApiDocument = JSON.parse(await renderOpenapiDoc());
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    path.startsWith('/manage/v1/') ? [{ path: path.slice('/manage/v1'.length), method, operation }] : [],
  ),
);
const ofApplications = operations.filter(({ path }) => path.startsWith('/applications/{clientId}'));
const title = ({ operation }: { operation: Operation }) => operation.operationId;

test('every operation on an application declares its access, and no other does', () => {
  expect(operations.length).toBeGreaterThan(40);
  expect(ofApplications.filter(({ operation }) => !operation['x-access']).map(title)).toEqual([]);
  const others = operations.filter((each) => !ofApplications.includes(each));
  expect(others.filter(({ operation }) => operation['x-access']).map(title)).toEqual([]);
  // Changes require more than read access. The exceptions are questions too large for a URL.
  const free = ofApplications.filter(({ method, operation }) => method !== 'get' && operation['x-access'] === 'read');
  expect(free.map(title).filter((name) => !/^(plan|preview)/.test(name))).toEqual([]);
});

const ROLE_OF = { read: 'viewer', texts: 'translator', users: 'support', write: 'editor', own: 'owner' } as const;

type Ask = (method: string, path: string) => Promise<Answer>;

describe.each(databases)('access on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  /** Harmless if allowed: no body, no confirmation, and random ids. */
  const ask = (send: Ask, { path, method }: (typeof operations)[0], clientId: string) => {
    const named = path.replace('{clientId}', clientId).replaceAll(/\{\w+\}/g, randomUUID());
    return send(method.toUpperCase(), named);
  };
  const token = async (wanted: Partial<WantedManageToken>): Promise<Ask> => (await manageWith(server, wanted)).send;

  /** Callers with this access, one for each way to get it. */
  const holders = async (access: Access, appId: number): Promise<[string, Ask][]> => {
    const member = await memberWith(server, [{ appId, role: ROLE_OF[access] }]);
    const owner = await memberWith(server, [{ appId, role: 'owner' }]);
    return [
      ['the role', member.send],
      ['a token of the operator', await token({ access, appIds: [appId] })],
      ['a token of an owner, made for less', await token({ access, accountId: owner.accountId })],
      ['a token of the member, made for more', await token({ access: 'own', accountId: member.accountId })],
    ];
  };

  test.each(ACCESS)('%s allows its own operations and those of lower access only', async (access) => {
    const { appId, clientId } = await server.application();
    for (const [who, send] of await holders(access, appId)) {
      const answers = await Promise.all(ofApplications.map((operation) => ask(send, operation, clientId)));
      for (const [index, operation] of ofApplications.entries()) {
        const needed = operation.operation['x-access'] ?? 'own';
        const { status, json } = answers[index] as Answer;
        const refused = status === 403 && json.code === '9403';
        const label = [who, access, title(operation)];
        expect([...label, refused]).toEqual([...label, !includesAccess(access, needed)]);
        if (refused) {
          expect(json.message).toBe(`This requires access "${needed}" to the application; you have "${access}".`);
        }
        expect([...label, status < 500]).toEqual([...label, true]);
      }
    }
    expect(await server.service.storage.applications.findByClientId(clientId)).toBeDefined();
    expect(await server.service.storage.members.list(appId)).toHaveLength(2);
  });

  test('an application without permission looks like one that does not exist', async () => {
    const [mine, other] = [await server.application(), await server.application()];
    const owner = await memberWith(server, [{ appId: mine.appId, role: 'owner' }]);
    const scoped = await token({ appIds: [mine.appId] });
    const ofOwner = await token({ accountId: owner.accountId });
    // A token for an application that its owner has no permission for.
    const lost = await token({ accountId: owner.accountId, appIds: [other.appId] });
    for (const send of [owner.send, scoped, ofOwner, lost]) {
      for (const operation of ofApplications) {
        const [foreign, nobodys] = [await ask(send, operation, other.clientId), await ask(send, operation, '1_a')];
        expect([title(operation), foreign.status, foreign.json]).toEqual([title(operation), 404, nobodys.json]);
        expect(foreign.json.code).toBe('9404');
      }
    }
  });

  test('missing or wrong credentials get no data', async () => {
    const { clientId } = await server.application();
    const guarded = operations.filter(({ operation }) => operation.security.length > 0);
    expect(operations.filter((each) => !guarded.includes(each)).map(title)).toEqual([
      'createSession',
      'readLink',
      'mailLink',
      'listSignInMethods',
    ]);
    const session = visitorWith(server, `innkeeper=iks_${'a'.repeat(43)}`);
    const bare: Ask = (method, path) => server.send(method, `/manage/v1${path}`);
    for (const send of [bare, manageAs(server, `ikp_${'a'.repeat(43)}`).send, session.send]) {
      for (const operation of guarded) {
        const { status, json } = await ask(send, operation, clientId);
        // Repeated guessing is throttled.
        expect([title(operation), ['9401', '9429']]).toEqual([title(operation), expect.arrayContaining([json.code])]);
        expect([401, 429]).toContain(status);
      }
    }
  });

  test('account operations require a session; tokens are not accepted', async () => {
    const own = operations.filter(({ operation: { security } }) =>
      security.every((each) => Object.keys(each).join() === 'portalSession'),
    );
    const ofAccounts = own.filter(({ operation }) => operation.security.length > 0);
    expect(ofAccounts.length).toBeGreaterThan(10);
    const send = await token({});
    for (const operation of ofAccounts) {
      const { status, json } = await ask(send, operation, '');
      expect([title(operation), status, json.code]).toEqual([title(operation), 403, '9403']);
    }
  });

  test('another page cannot change anything with a session', async () => {
    const { appId, clientId } = await server.application();
    const { cookie } = await memberWith(server, [{ appId, role: 'owner' }]);
    const headers = { cookie, 'sec-fetch-site': 'same-site', 'x-innkeeper-portal': '1' };
    const forged: Ask = (method, path) => server.send(method, `/manage/v1${path}`, { headers });
    for (const operation of operations.filter(({ method }) => method !== 'get')) {
      const { status, json } = await ask(forged, operation, clientId);
      expect([title(operation), status, json.code]).toEqual([title(operation), 403, '9403']);
      expect(json.message).toBe('This request does not come from the portal.');
    }
  });
});
