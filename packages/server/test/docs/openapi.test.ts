import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDoc } from '../../scripts/write-errors-doc.ts';
import { OPENAPI_DOC, renderOpenapiDoc } from '../../scripts/write-openapi.ts';
import { ERRORS } from '../../src/domain/errors.ts';
import type { OpenApiDocument } from '../../src/http/docs/describe-api.ts';
import { ANYWHERE } from '../../src/http/docs/describe-errors.ts';
import { databases } from '../databases.ts';
import { type ResolvedOperation, withoutReferences } from '../http/documented-answers.ts';
import { startTestServer, type TestServer } from '../http/start.ts';

let text: string;
let document: OpenApiDocument;
let operations: ResolvedOperation[];

beforeAll(async () => {
  text = await renderOpenapiDoc();
  document = JSON.parse(text);
  operations = Object.values(withoutReferences(document).paths).flatMap((methods) => Object.values(methods));
});

test('docs/openapi.json matches the routes: if not, run "npm run docs"', () => {
  expect(readDoc(OPENAPI_DOC)).toBe(text);
});

test('an independent validator finds no problem', async () => {
  const result = await new Validator().validate(JSON.parse(text));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
});

/** Findings of Redocly's recommended rules that we accept, each with the reason. */
const ACCEPTED = [
  // A service_user_code is a UUID, never "by-client-id".
  'no-ambiguous-paths: /api/v2/app/{clientId}/users/{serviceUserCode}/deletion-receipt',
  'no-ambiguous-paths: /api/v2/app/{clientId}/users/{serviceUserCode}/preference-link',
  // Probes have no input that could be invalid.
  'operation-4xx-response: /livez',
  'operation-4xx-response: /readyz',
];

test("Redocly's recommended rules find only accepted problems", async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: text, config });
  const reported = found.map(({ ruleId, location: [place] }) => {
    const path = place?.pointer?.split('/')[2]?.replaceAll('~1', '/');
    return `${ruleId}: ${path}`;
  });
  expect(reported.sort()).toEqual(ACCEPTED);
});

const SPECTRAL = {
  extends: [oas],
  rules: {
    // A description would only repeat the summary.
    'operation-description': 'off',
    // It takes the keys of a catalog in an example for schemas, because they have a type and a default.
    'oas3-valid-schema-example': 'off',
  },
};

test("Spectral's rules for OpenAPI find no problem", async () => {
  const spectral = new Spectral();
  spectral.setRuleset(SPECTRAL as RulesetDefinition);
  const found = await spectral.run(JSON.parse(text));
  expect(found.map(({ code, path, message }) => `${code}: ${path.join(' ')} ${message}`)).toEqual([]);
});

test('operations are named once, by verb and object, and list their responses', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const operation of operations) {
    const { operationId, tags, summary, responses } = operation;
    expect(operationId).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    expect(summary, operationId).toBeTypeOf('string');
    expect(tags, operationId).toHaveLength(1);
    expect(document.tags.map(({ name }) => name)).toContain(tags[0]);
    expect(
      Object.keys(responses).some((status) => status.startsWith('2')),
      operationId,
    ).toBe(true);
    expect(Object.keys(responses), operationId).toContain('500');
    for (const scheme of operation.security.flatMap((each) => Object.keys(each))) {
      expect(document.components.securitySchemes, operationId).toHaveProperty(scheme);
    }
  }
});

test('component names begin with a letter, which generators need', () => {
  const names = Object.values(document.components).flatMap((part) => Object.keys(part as object));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !/^[A-Za-z][\w.-]*$/.test(name))).toEqual([]);
});

test('the operations of applications are present', () => {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  );
  expect(listed).toEqual(
    expect.arrayContaining([
      'post /api/v2/app/create-user createUser',
      'post /oauth/v2/get-access-token getAccessToken',
      'delete /api/v2/app/{clientId}/users/{serviceUserCode} deleteUser',
      'get /api/option_groups listOptionGroups',
      'get /api/option_keys listOptionKeys',
      'get /api/option_keys/{option_key_uid} getOptionKey',
      'post /api/user_options saveUserOption',
    ]),
  );
});

test('every error is listed under an operation, or once for all of them', () => {
  // Pages for people respond with a page.
  const named = new Set<string>([...ANYWHERE, 'preferenceLinkInvalid', ...Object.keys(document.components.examples)]);
  const missing = Object.keys(ERRORS).filter((name) => !named.has(name) && !named.has(`${name}ForOAuth`));
  expect(missing).toEqual([]);
});

test('each operation of user management lists its codes', () => {
  const codesOf = (operationId: string) => {
    const { responses } = operations.find((each) => each.operationId === operationId) as ResolvedOperation;
    return Object.values(responses).flatMap(({ content }) => {
      const { properties } = (content?.['application/json']?.schema ?? {}) as {
        properties?: { code?: { enum?: string[] } };
      };
      return properties?.code?.enum ?? [];
    });
  };
  expect(codesOf('createUser')).toEqual(
    expect.arrayContaining(['0001', '0004', '0005', '0007', '0011', '0012', '0021', '0023', '0024']),
  );
  expect(codesOf('getAccessToken')).toEqual(
    expect.arrayContaining(['0002', '0006', '0007', '0008', '0009', '0010', '0016']),
  );
  expect(codesOf('deleteUser')).toEqual(expect.arrayContaining(['0012', '0025']));
});

test('streams, pages and files beside JSON are described as text, not with the schema of the JSON', () => {
  const others = operations.flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap(({ content = {} }) =>
      Object.entries(content)
        .filter(([type]) => type !== 'application/json')
        .map(([type, { schema }]) => [`${operationId} ${type}`, schema.type]),
    ),
  );
  expect(others).toContainEqual(['listApplicationUsers application/x-ndjson', 'string']);
  expect(others.filter(([, type]) => type !== 'string')).toEqual([]);
});

test('every route outside this list is documented', () => {
  const hidden = sources(join(import.meta.dirname, '../../src/http')).flatMap(({ name, text }) => {
    const routes = text.split('hide: true').length - 1;
    return routes === 0 ? [] : `${name} ${routes}`;
  });
  expect(hidden.sort()).toEqual([
    'api-documents.ts 5', // the documents themselves, and the explorer
    'api-key.ts 1', // preflights
    'guide.ts 3',
    'oidc-sign-in.ts 1', // redirects of a browser
    'portal-pages.ts 2',
    'preference-page.ts 2', // pages of people, who have a link
  ]);
});

function sources(folder: string): { name: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name, parentPath }) => ({ name, text: readFileSync(join(parentPath, name), 'utf8') }));
}

describe('a running server', () => {
  const [sqlite] = databases;
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer((await sqlite?.fresh()) as string);
  });
  afterAll(() => server.close());

  test('serves the same document, for every origin, with an ETag', async () => {
    const { status, headers, json } = await server.send('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(json).toEqual(document);
    const again = await server.send('GET', '/openapi.json', {
      headers: { 'if-none-match': headers.get('etag') as string },
    });
    expect(again.status).toBe(304);
  });

  test.each([
    ['users', ['users', 'tokens', 'events', 'operations'], ['basic', 'bearer', 'metricsToken']],
    ['options', ['options', 'operations'], ['apiKey', 'basic', 'bearer', 'metricsToken']],
  ])('that serves only %s documents only that', async (serve, tags, schemes) => {
    const part = await startTestServer((await sqlite?.fresh()) as string, {
      serve,
      publicUrl: 'https://example.com/innkeeper',
    });
    try {
      const { json } = await part.send('GET', '/openapi.json');
      const described = json as unknown as OpenApiDocument;
      expect(described.tags.map(({ name }) => name)).toEqual(tags);
      expect(Object.keys(described.components.securitySchemes).sort()).toEqual([...schemes].sort());
      expect(described.servers).toEqual([{ url: 'https://example.com/innkeeper' }]);
      expect((await new Validator().validate(json)).errors ?? []).toEqual([]);
    } finally {
      await part.close();
    }
  });
});
