import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderOpenapiDoc } from '../../scripts/write-openapi.ts';
import { databases } from '../databases.ts';
import { withoutReferences } from '../http/documented-answers.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { fromPortal, signedIn } from '../portal/portal.ts';

type Schema = { type?: string; enum?: unknown[]; properties?: Record<string, Schema> };

/** Bodies that consist of a catalog file, whose problems are reported with 9422. */
const CATALOG_FILES = ['putCatalog', 'planCatalog', 'putDraft'];
/** Available only to tokens. */
const BY_TOKEN = ['createManageToken'];

const document = withoutReferences(JSON.parse(await renderOpenapiDoc()));
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/manage/v1/'))
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

const withBody = operations.flatMap(({ path, method, operation }) => {
  const content = operation.requestBody?.content?.['application/json'];
  const { properties } = (content?.schema ?? {}) as Schema;
  if (properties === undefined || [...CATALOG_FILES, ...BY_TOKEN].includes(operation.operationId)) return [];
  const [example] = Object.values(content?.examples ?? {});
  return [{ name: operation.operationId, path, method: method.toUpperCase(), body: example?.value as object }];
});

/** Parameters that do not accept arbitrary text. */
const parameters = operations.flatMap(({ path, method, operation }) =>
  (operation.parameters ?? []).flatMap((parameter) => {
    const schema = parameter.schema as Schema;
    if (parameter.in !== 'query' || (schema.type === 'string' && !schema.enum)) return [];
    if (schema.type === 'array') return [];
    const [example] = Object.values(operation.requestBody?.content?.['application/json']?.examples ?? {});
    const request = { path, method: method.toUpperCase(), body: example?.value };
    return [{ name: operation.operationId, parameter: parameter.name, ...request }];
  }),
);

describe.each(databases)('on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  async function sender() {
    const { clientId } = await server.application();
    const visitor = await signedIn(server);
    return (method: string, path: string, body?: unknown) => {
      const filled = path
        .replace('/manage/v1', '')
        .replace('{clientId}', clientId)
        .replaceAll(/\{\w+\}/g, () => randomUUID());
      return visitor.send(method, filled, body, { ...fromPortal, 'if-match': '*' });
    };
  }

  test('an undescribed member is rejected by name', async () => {
    const send = await sender();
    expect(withBody.length).toBeGreaterThan(20);
    for (const { name, path, method, body } of withBody) {
      const answer = await send(method, path, { ...body, surprise: 1 });
      expect(answer, name).toMatchObject({ status: 400, json: { code: '9400' } });
      expect(answer.json.errors, name).toContainEqual(
        expect.objectContaining({ field: 'surprise', message: 'is unknown', allowed: expect.any(Array) }),
      );
    }
  });

  test('a parameter of another type is rejected by name', async () => {
    const send = await sender();
    expect(parameters.length).toBeGreaterThan(40);
    for (const { name, path, method, parameter, body } of parameters) {
      for (const query of [`${parameter}=%C3%A9`, `${parameter}=true&${parameter}=true`]) {
        const answer = await send(method, `${path}?${query}`, body);
        const reported = `${name} ${query}`;
        expect(answer, reported).toMatchObject({ status: 400, json: { code: '9400' } });
        expect(answer.json.errors, reported).toContainEqual(expect.objectContaining({ field: parameter }));
      }
    }
  });
});
