import { compactVerify, createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyring } from '../../../src/domain/keyring.ts';
import { SigningKeys } from '../../../src/tokens/keys.ts';
import { databases } from '../../databases.ts';
import { basic, bearer, makeSignedInUser, SECRET, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire } from './example-catalog.ts';
import { makeTestUser } from './test-user.ts';

type TestUser = Awaited<ReturnType<typeof makeTestUser>>;
const DAY_MS = 86_400_000;

describe.each(databases)('receipts on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const receiptOf = (testUser: TestUser, { json }: { json: Wire }, headers: Record<string, string> = {}) =>
    testUser.get(`/api/user_options/${json.user_options_uid}/receipt`, {
      ...bearer(testUser.user.accessToken),
      ...headers,
    });
  const jwks = () => createRemoteJWKSet(new URL(`${server.url}/oauth/v2/jwks`));
  const claimsOf = async (receipt: string, testUser: TestUser) => {
    const { payload } = await jwtVerify(receipt, jwks(), {
      typ: 'receipt+jwt',
      audience: testUser.application.clientId,
      subject: testUser.user.userCode,
    });
    return payload;
  };

  test('a deletion has one too: rows of each table and the time, and no personal data', async () => {
    const testUser = await makeTestUser(server);
    const { application, user } = testUser;
    await testUser.save(await testUser.choice('vegetarian', [true]));
    await testUser.save(await testUser.choice('vegetarian', [false]));
    await testUser.save(await testUser.choice('volume', [10]));
    const path = `/api/v2/app/${application.clientId}/users/${user.userCode}`;
    const read = (who = application) => server.send('GET', `${path}/deletion-receipt`, { headers: basic(who) });
    const early = await read();
    expect([early.status, early.json.code]).toEqual([400, '0025']);
    expect((await server.send('DELETE', path, { headers: basic(application) })).status).toBe(204);
    const answer = await read();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/jwt']);
    const claims = await claimsOf(answer.text, testUser);
    expect(claims).toEqual({
      iss: server.url,
      sub: user.userCode,
      aud: application.clientId,
      iat: expect.any(Number),
      deleted_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      rows: {
        ...{ users: 1, profiles: 1, selections: 2, selection_events: 3, access_tokens: 1, special_tokens: 0 },
        ...{ idempotency_keys: 0, user_changes: 0, webhook_responses: 0, request_log: expect.any(Number) },
      },
    });
    expect(JSON.stringify(claims)).not.toContain(user.clientUserId);
    const stranger = await server.application();
    expect((await read(stranger)).json.code).toBe('0011');
    const elsewhere = `/api/v2/app/${stranger.clientId}/users/${user.userCode}/deletion-receipt`;
    expect((await server.send('GET', elsewhere, { headers: basic(stranger) })).json.code).toBe('0025');
    const [head, body, signature] = answer.text.split('.');
    const altered = Buffer.from(JSON.stringify({ ...claims, rows: { users: 1 } })).toString('base64url');
    expect(altered).not.toBe(body);
    await expect(compactVerify(`${head}.${altered}.${signature}`, jwks())).rejects.toThrow('signature');
  });

  test('states who chose what, in which words, when and how', async () => {
    const testUser = await makeTestUser(server);
    const choice = await testUser.choice('fruit', ['Marille', 'Apfel'], { language: 'Deutsch (Österreich)' });
    const saved = await testUser.save(choice);
    const answer = await receiptOf(testUser, saved);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/jwt']);
    expect(await claimsOf(answer.text, testUser)).toEqual({
      iss: server.url,
      sub: testUser.user.userCode,
      aud: testUser.application.clientId,
      iat: expect.any(Number),
      clientUserId: testUser.user.clientUserId,
      user_options_uid: saved.json.user_options_uid,
      option_group_uid: choice.option_group_uid,
      option_key_uid: choice.option_key_uid,
      group: 'kitchen',
      option: 'fruit',
      value: ['apple', 'apricot'],
      texts: {
        group: 'Küche',
        group_description: null,
        option: 'Obst',
        option_description: null,
        value: ['Apfel', 'Marille'],
      },
      language: 'Deutsch (Österreich)',
      language_tag: 'de-AT',
      language_known: true,
      revision: 1,
      created_at: saved.json.created_at,
      saved_at: saved.json.updated_at,
      by: 'user_uid',
    });
    const etag = answer.headers.get('etag') as string;
    expect((await receiptOf(testUser, saved, { 'if-none-match': etag })).status).toBe(304);
  });

  test('contains the texts of the revision it was saved in, and the language of the save', async () => {
    const testUser = await makeTestUser(server);
    const first = await testUser.save(await testUser.choice('vegetarian', [true]), { 'accept-language': 'de' });
    const second = await testUser.save(await testUser.choice('portions', [2]));
    const { json } = await server.post(
      '/api/user_options',
      { ...(await testUser.choice('motto', ['Servus'])), access_token: testUser.user.accessToken, language: 'de' },
      testUser.apiKey,
    );
    const [kitchen, ...others] = EXAMPLE.groups ?? [];
    const described = { ...kitchen, name: 'kitchen', descriptions: { English: 'What you eat' } };
    await testUser.publish({ ...EXAMPLE, groups: [{ ...described, translations: { English: 'Food' } }, ...others] });
    await server.service.refresh();
    const claimsOfReceipt = async (saved: { json: Wire }) =>
      claimsOf((await receiptOf(testUser, saved)).text, testUser);
    expect(await claimsOfReceipt(first)).toMatchObject({
      revision: 1,
      language: 'Deutsch',
      language_known: true,
      texts: { group: 'Küche', option: 'Vegetarisch', value: 'true' },
    });
    expect(await claimsOfReceipt(second)).toMatchObject({
      language: 'English',
      language_known: false,
      value: 2,
      texts: { group: 'Kitchen', option: 'portions', value: '2' },
    });
    expect(await claimsOfReceipt({ json })).toMatchObject({ by: 'access_token', language: 'Deutsch', value: 'Servus' });
    // Saving the same value again records the new texts.
    const again = await testUser.save(await testUser.choice('vegetarian', [true], { language: 'en' }));
    expect(await claimsOfReceipt(again)).toMatchObject({
      revision: 2,
      language: 'English',
      texts: { group: 'Food', group_description: 'What you eat', option: 'vegetarian' },
    });
  });

  test('fails when a single byte is altered', async () => {
    const testUser = await makeTestUser(server);
    const { text } = await receiptOf(testUser, await testUser.save(await testUser.choice('vegetarian', [true])));
    const { keys } = (await server.send('GET', '/oauth/v2/jwks')).json as { keys: [] };
    const local = createLocalJWKSet({ keys });
    await compactVerify(text, local);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 5) {
      const altered = Buffer.from(bytes);
      altered[at] = altered[at] === 0x41 ? 0x42 : 0x41;
      await expect(compactVerify(altered.toString(), local)).rejects.toThrow();
    }
  });

  test('is available to the user, and to the application with its credentials', async () => {
    const testUser = await makeTestUser(server);
    const { json } = await testUser.save(await testUser.choice('vegetarian', [true]));
    const path = `/api/user_options/${json.user_options_uid}/receipt`;
    const byApplication = await testUser.get(`${path}?user_uid=${testUser.user.userCode}`, basic(testUser.application));
    expect((await claimsOf(byApplication.text, testUser)).value).toBe(true);
    const other = await makeSignedInUser(server, testUser.application);
    const statusAndCode = async (headers: Record<string, string>, at = path) => {
      const answer = await testUser.get(at, headers);
      return [answer.status, answer.json.code];
    };
    expect(await statusAndCode({})).toEqual([401, '1011']);
    expect(await statusAndCode(bearer('nothing'))).toEqual([401, '1007']);
    expect(await statusAndCode(bearer(other.accessToken))).toEqual([404, '9404']);
    expect(await statusAndCode(bearer(testUser.user.accessToken), '/api/user_options/nothing/receipt')).toEqual([
      404,
      '9404',
    ]);
    const without = await server.send('GET', path, { headers: bearer(testUser.user.accessToken) });
    expect([without.status, without.json.code]).toEqual([401, '1001']);
  });

  test.each(['EdDSA', 'RS256', 'ES256'])(
    'signed with %s, it can be verified after the key is gone',
    async (tokenAlgorithm) => {
      const testUser = await makeTestUser(server, { tokenAlgorithm });
      const { text } = await receiptOf(testUser, await testUser.save(await testUser.choice('vegetarian', [true])));
      const { kid, alg } = decodeProtectedHeader(text);
      expect(alg).toBe(tokenAlgorithm);
      const { storage, now } = server.service;
      const keys = new SigningKeys(storage.signingKeys, createKeyring(SECRET), {
        now,
        certain: now,
        isTrusted: true,
      });
      await keys.load();
      await keys.rotate(tokenAlgorithm as 'EdDSA');
      // Years later the private keys are deleted, but receipts can still be verified.
      await storage.purgeExpired(now() + 400 * DAY_MS);
      await server.service.refresh();
      const kept = (await storage.signingKeys.list()).find((each) => each.kid === kid);
      expect(kept?.sealedPrivateKey).toBe('');
      expect((await claimsOf(text, testUser)).value).toBe(true);
      await keys.load();
      expect(keys.published().map((jwk) => jwk.kid)).toContain(kid);
      expect(await keys.publicKey(kid, alg)).toBeUndefined();
    },
  );
});
