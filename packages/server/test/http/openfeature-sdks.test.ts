import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { ErrorCode, OpenFeature, StandardResolutionReasons } from '@openfeature/server-sdk';
import { ClientProviderEvents, type Provider, OpenFeature as WebOpenFeature } from '@openfeature/web-sdk';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { databases } from '../databases.ts';
import { makeTestUser } from './options/test-user.ts';
import { basic, bearer, startTestServer, type TestServer } from './start.ts';

const PATH = '/ofrep/v1/evaluate/flags';

describe.each(databases)('OpenFeature SDKs on $kind', (database) => {
  let server: TestServer;
  let testUser: Awaited<ReturnType<typeof makeTestUser>>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    testUser = await makeTestUser(server);
    await testUser.save(await testUser.choice('vegetarian', [true]));
    await testUser.save(await testUser.choice('ratio', [1.5]));
    await testUser.save(await testUser.choice('fruit', ['cherry']));
    await testUser.save(await testUser.choice('motto', ['Servus']));
  });
  afterAll(async () => {
    await OpenFeature.close();
    await WebOpenFeature.close();
    await server.close();
  });

  test('a server evaluates the flags of any user', async () => {
    const headers = Object.entries(basic(testUser.application)) as [string, string][];
    await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: server.url, headers }));
    const client = OpenFeature.getClient();
    for (const targetingKey of [testUser.user.clientUserId, testUser.user.userCode]) {
      const context = { targetingKey, plan: 'free' };
      const saved = await client.getBooleanDetails('kitchen.vegetarian', false, context);
      expect(saved).toMatchObject({ value: true, reason: StandardResolutionReasons.TARGETING_MATCH });
      expect(saved.flagMetadata).toEqual({
        option_key_uid: (await testUser.keyNamed('vegetarian')).option_key_uid,
      });
      expect(await client.getNumberValue('kitchen.ratio', 0, context)).toBe(1.5);
      expect(await client.getStringValue('open.motto', '', context)).toBe('Servus');
      expect(await client.getObjectValue('kitchen.fruit', [], context)).toEqual(['cherry']);
      const byDefault = await client.getNumberDetails('open.volume', 0, context);
      expect(byDefault).toMatchObject({ value: 5, reason: StandardResolutionReasons.DEFAULT });
    }
    const context = { targetingKey: testUser.user.userCode };
    const missing = await client.getBooleanDetails('kitchen.nothing', true, context);
    expect(missing).toMatchObject({ value: true, errorCode: ErrorCode.FLAG_NOT_FOUND });
    // As docs/openfeature.md says, until the provider knows flags without a value.
    const unset = await client.getNumberDetails('kitchen.portions', 2, context);
    expect(unset).toMatchObject({ value: 2, errorCode: ErrorCode.GENERAL });
    const nobody = await client.getBooleanDetails('kitchen.vegetarian', false, { targetingKey: 'nobody' });
    expect(nobody).toMatchObject({ value: false, errorCode: ErrorCode.INVALID_CONTEXT });
    const anonymous = await client.getBooleanDetails('kitchen.vegetarian', false, {});
    expect(anonymous).toMatchObject({ value: false, errorCode: ErrorCode.TARGETING_KEY_MISSING });
    const wrongType = await client.getStringDetails('kitchen.vegetarian', 'code', context);
    expect(wrongType).toMatchObject({ value: 'code', errorCode: ErrorCode.TYPE_MISMATCH });
  });

  test("a page evaluates its user's flags, and polls for changes", async () => {
    const headers = Object.entries(bearer(testUser.user.accessToken)) as [string, string][];
    const provider = new OFREPWebProvider({ baseUrl: server.url, headers, pollInterval: 50 });
    await WebOpenFeature.setContext({ targetingKey: testUser.user.userCode });
    // Its types do not support exactOptionalPropertyTypes.
    await WebOpenFeature.setProviderAndWait(provider as Provider);
    const client = WebOpenFeature.getClient();
    expect(client.getBooleanDetails('kitchen.vegetarian', false)).toMatchObject({ value: true });
    expect(client.getObjectValue('kitchen.fruit', [])).toEqual(['cherry']);
    expect(client.getStringDetails('kitchen.nothing', 'code')).toMatchObject({
      value: 'code',
      errorCode: ErrorCode.FLAG_NOT_FOUND,
    });
    expect(client.getNumberDetails('kitchen.portions', 2)).toMatchObject({
      value: 2,
      errorCode: ErrorCode.FLAG_NOT_FOUND,
    });
    const changed = new Promise<void>((resolve) => {
      client.addHandler(ClientProviderEvents.ConfigurationChanged, () => resolve());
    });
    await testUser.save(await testUser.choice('volume', [10]));
    await changed;
    expect(client.getNumberDetails('open.volume', 0)).toMatchObject({ value: 10, reason: 'TARGETING_MATCH' });
  });

  test('responses match the protocol', async () => {
    const document = parse(await readFile(join(import.meta.dirname, 'ofrep-openapi.yaml'), 'utf8'));
    const { schemas } = document.components;
    // Our extensions: the reason DEFAULT, which OpenFeature defines and this document lacks, and lists as values.
    schemas.evaluationSuccess.allOf[0].properties.reason.enum.push('DEFAULT');
    schemas.objectFlag.properties.value.type = ['object', 'array'];
    // An integer is also a number, and every flag also matches the schema without a value, so `oneOf` could never hold.
    schemas.evaluationSuccess.allOf[1] = { anyOf: schemas.evaluationSuccess.allOf[1].oneOf };
    const ajv = new Ajv2020({ strict: false, formats: { uri: true, float: true, 'date-time': true } });
    ajv.addSchema(document, 'ofrep');
    const check = (path: string, { status, json }: { status: number; json: object }) => {
      const where = `#/paths/${path.replaceAll('/', '~1')}/post/responses/${status}/content/application~1json/schema`;
      const validate = ajv.compile({ $ref: `ofrep${encodeURI(where)}` });
      return [status, validate(json), validate.errors ?? []];
    };
    const evaluate = (key: string, context: unknown) =>
      server.post(key === '' ? PATH : `${PATH}/${key}`, { context }, basic(testUser.application));
    const context = { targetingKey: testUser.user.userCode };
    const one = `${PATH}/{key}`;
    for (const key of [
      'kitchen.vegetarian',
      'kitchen.fruit',
      'kitchen.ratio',
      'open.motto',
      'open.volume',
      'open.birthday',
    ]) {
      expect([key, ...check(one, await evaluate(key, context))]).toEqual([key, 200, true, []]);
    }
    expect(check(one, await evaluate('kitchen.nothing', context))).toEqual([404, true, []]);
    expect(check(one, await evaluate('kitchen.vegetarian', {}))).toEqual([400, true, []]);
    expect(check(one, await evaluate('kitchen.vegetarian', { targetingKey: 'nobody' }))).toEqual([400, true, []]);
    expect(check(PATH, await evaluate('', context))).toEqual([200, true, []]);
    expect(check(PATH, await evaluate('', {}))).toEqual([400, true, []]);
  });
});
