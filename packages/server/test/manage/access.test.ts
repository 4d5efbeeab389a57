import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderOpenapiDoc } from '../../scripts/write-openapi.ts';
import { ACCESS, includesAccess } from '../../src/domain/manage/access.ts';
import type { OpenApiDocument, Operation } from '../../src/http/openapi.ts';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { type Manage, manageAs, manageWith } from './manage.ts';

/** Of whatever the document has: an operation that is added is held to this as well. */
const { paths }: OpenApiDocument = JSON.parse(await renderOpenapiDoc());
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    path.startsWith('/manage/v1/') ? [{ path: path.slice('/manage/v1'.length), method, operation }] : [],
  ),
);
const ofApplications = operations.filter(({ path }) => path.startsWith('/applications/{clientId}'));
const title = ({ operation }: { operation: Operation }) => operation.operationId;

test('every operation on an application says what it takes, and no other does', () => {
  expect(operations.length).toBeGreaterThan(40);
  expect(ofApplications.filter(({ operation }) => !operation['x-access']).map(title)).toEqual([]);
  const others = operations.filter((each) => !ofApplications.includes(each));
  expect(others.filter(({ operation }) => operation['x-access']).map(title)).toEqual([]);
  // What changes something takes more than reading, save for a question that is too large for an address.
  const free = ofApplications.filter(({ method, operation }) => method !== 'get' && operation['x-access'] === 'read');
  expect(free.map(title)).toEqual(['planCatalog']);
});

describe.each(databases)('who may do what on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  /** Sent so that nobody who is let in destroys anything: no body, no confirmation, and ids of nothing. */
  const ask = (manage: Manage, { path, method }: (typeof operations)[0], clientId: string) => {
    const named = path.replace('{clientId}', clientId).replaceAll(/\{\w+\}/g, randomUUID());
    return manage.send(method.toUpperCase(), named);
  };

  test('each access opens its operations and those of the ones before it', async () => {
    const { appId, clientId } = await server.application();
    for (const access of ACCESS) {
      const manage = await manageWith(server, { access, appIds: [appId] });
      for (const operation of ofApplications) {
        const needed = operation.operation['x-access'] ?? 'own';
        const { status, json } = await ask(manage, operation, clientId);
        const refused = status === 403 && json.code === '9403';
        expect([access, title(operation), refused]).toEqual([
          access,
          title(operation),
          !includesAccess(access, needed),
        ]);
        if (refused)
          expect(json.message).toBe(`This needs access "${needed}" to the application; there is "${access}".`);
        expect(status).toBeLessThan(500);
      }
    }
    expect((await server.service.storage.applications.list()).length).toBe(1);
  });

  test('an application that is not one’s own looks like one that does not exist', async () => {
    const [mine, other] = [await server.application(), await server.application()];
    const manage = await manageWith(server, { appIds: [mine.appId] });
    for (const operation of ofApplications) {
      const [foreign, nobodys] = [await ask(manage, operation, other.clientId), await ask(manage, operation, '1_a')];
      expect([title(operation), foreign.status, foreign.json]).toEqual([title(operation), 404, nobodys.json]);
      expect(foreign.json.code).toBe('9404');
    }
  });

  test('without a credential, or with a wrong one, nothing is answered', async () => {
    const { clientId } = await server.application();
    const guarded = operations.filter(({ operation }) => operation.security.length > 0);
    for (const operation of guarded) {
      const path = `/manage/v1${operation.path.replace('{clientId}', clientId)}`;
      const { status, json } = await server.send(operation.method.toUpperCase(), path);
      expect([title(operation), status, json.code]).toEqual([title(operation), 401, '9401']);
      const wrong = await ask(manageAs(server, `ikp_${'a'.repeat(43)}`), operation, clientId);
      expect([title(operation), wrong.status, wrong.json.code]).toEqual([title(operation), 401, '9401']);
    }
  });
});
