import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { basic, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

/** A common client library, used as documented, against the running service. */
describe.each(databases)('the embedded token service on $kind, through oauth4webapi', (database) => {
  let server: TestServer;
  let issuer: oauth.AuthorizationServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    const url = new URL(server.url);
    const discovered = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
    issuer = await oauth.processDiscoveryResponse(url, discovered);
  });
  afterAll(() => server.close());

  async function signedIn() {
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    return { application, user, client: { client_id: application.clientId } };
  }

  test('is discovered', () => {
    expect(issuer).toMatchObject({ issuer: server.url, jwks_uri: expect.stringContaining(server.url) });
  });

  test.each([
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ])('introspects and revokes with %s', async (_name, authenticate) => {
    const { application, user, client } = await signedIn();
    const introspect = async () => {
      const auth = authenticate(application.clientSecret);
      const response = await oauth.introspectionRequest(issuer, client, auth, user.accessToken, insecure);
      return oauth.processIntrospectionResponse(issuer, client, response);
    };
    expect(await introspect()).toMatchObject({
      active: true,
      sub: user.userCode,
      client_id: application.clientId,
      aud: application.clientId,
      username: user.clientUserId,
      token_type: 'Bearer',
    });
    const auth = authenticate(application.clientSecret);
    const revoked = await oauth.revocationRequest(issuer, client, auth, user.accessToken, insecure);
    await oauth.processRevocationResponse(revoked);
    expect(await introspect()).toEqual({ active: false });
  });

  test('its tokens are verified by JWKS alone, for their own audience only', async () => {
    const { application, user } = await signedIn();
    const request = new Request('http://resource.example/', {
      headers: { authorization: `Bearer ${user.accessToken}` },
    });
    const claims = await oauth.validateJwtAccessToken(issuer, request, application.clientId, insecure);
    expect(claims).toMatchObject({ sub: user.userCode, client_id: application.clientId });
    await expect(oauth.validateJwtAccessToken(issuer, request, 'another', insecure)).rejects.toThrow();
  });

  test("another application's token looks unknown, and cannot be revoked", async () => {
    const { application, user } = await signedIn();
    const other = await server.application();
    const ask = (path: string, headers: Record<string, string>) =>
      server.send('POST', path, { headers, body: new URLSearchParams({ token: user.accessToken }) });
    expect((await ask('/oauth/v2/introspect', basic(other))).json).toEqual({ active: false });
    expect((await ask('/oauth/v2/revoke', basic(other))).status).toBe(200);
    expect((await ask('/oauth/v2/introspect', basic(application))).json.active).toBe(true);
  });

  test.each(['/oauth/v2/introspect', '/oauth/v2/revoke'])(
    '%s returns errors in terms of RFC 6749 and ours',
    async (path) => {
      const application = await server.application();
      const body = new URLSearchParams({ token: 'x' });
      for (const headers of [
        {},
        basic({ ...application, clientSecret: 'wrong' }),
        basic({ clientId: '1_x', clientSecret: 'x' }),
      ]) {
        const { status, json } = await server.send('POST', path, { headers, body });
        expect({ status, json }).toMatchObject({ status: 401, json: { error: 'invalid_client', code: '0011' } });
      }
      const { status, json } = await server.send('POST', path, { headers: basic(application) });
      expect({ status, json }).toMatchObject({ status: 400, json: { error: 'invalid_request', code: '9400' } });
      for (const token of ['x', 'a.b.c', '\u0000', 'é', 'x'.repeat(5000)]) {
        const answer = await server.send('POST', path, {
          headers: basic(application),
          body: new URLSearchParams({ token }),
        });
        expect(answer.status).toBe(200);
      }
    },
  );

  test('a rotated key is published before it signs, and old tokens stay valid', async () => {
    const { application, user, client } = await signedIn();
    const keys = async () => (await server.send('GET', '/oauth/v2/jwks')).json.keys as { kid: string }[];
    const before = await keys();
    const { SigningKeys } = await import('../../src/tokens/keys.ts');
    const { storage, keyring } = server.service;
    const elsewhere = new SigningKeys(storage.signingKeys, keyring, {
      now: Date.now,
      certain: Date.now,
      isTrusted: true,
    });
    await elsewhere.load();
    await elsewhere.rotate();
    await expect.poll(async () => (await keys()).length, { interval: 50 }).toBe(before.length + 1);
    expect(await keys()).toEqual(expect.arrayContaining(before));
    for (const key of await keys()) expect(Object.keys(key)).not.toContain('d');

    const later = await makeSignedInUser(server, application);
    for (const { accessToken } of [user, later]) {
      const auth = oauth.ClientSecretBasic(application.clientSecret);
      const response = await oauth.introspectionRequest(issuer, client, auth, accessToken, insecure);
      expect(await oauth.processIntrospectionResponse(issuer, client, response)).toMatchObject({ active: true });
    }
  });
});

describe('a server on any free port', () => {
  const [sqlite] = databases as [(typeof databases)[0]];
  const issuerOf = async (server: TestServer) =>
    (await server.send('GET', '/.well-known/oauth-authorization-server')).json.issuer;

  test('uses the port it got: as issuer, in its links, in its own page', async () => {
    const server = await startTestServer(await sqlite.fresh(), { port: '0', publicUrl: '' });
    try {
      expect(new URL(server.url).port).not.toBe('0');
      expect(await issuerOf(server)).toBe(server.url);
      expect(server.service.publicUrl).toBe(server.url);
      const application = await server.application();
      const user = await makeSignedInUser(server, application);
      expect(decodeJwt(user.accessToken).iss).toBe(server.url);
      const body = new URLSearchParams({ token: user.accessToken });
      const introspected = await server.send('POST', '/oauth/v2/introspect', { headers: basic(application), body });
      expect(introspected.json).toMatchObject({ active: true, iss: server.url });
      const headers = { origin: server.url, 'x-innkeeper-portal': '1' };
      const refused = await server.post('/manage/v1/session', { token: `ikl_${'x'.repeat(43)}` }, headers);
      expect(refused.json.code).not.toBe('9403');
      const document = await server.send('GET', '/openapi.json');
      expect(document.json.servers).toEqual([{ url: '/' }]);
    } finally {
      await server.close();
    }
  });

  test('uses its public URL if set', async () => {
    const publicUrl = 'https://users.example.com/innkeeper';
    const server = await startTestServer(await sqlite.fresh(), { port: '0', publicUrl });
    try {
      expect(await issuerOf(server)).toBe(publicUrl);
    } finally {
      await server.close();
    }
  });
});
