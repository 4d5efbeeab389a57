import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { basic, makeUser, startTestServer, type TestServer } from './start.ts';

/** An OAuth 2.0 server that issues any token a test wants. */
describe.each(databases)('JWTs of a remote token service on $kind', ({ fresh }) => {
  let remote: Server;
  let issuer: string;
  let server: TestServer;
  let application: Awaited<ReturnType<TestServer['application']>>;
  let token: string;
  let keysAsked = 0;
  const own = generateKeyPair('RS256');
  const other = generateKeyPair('RS256');
  beforeAll(async () => {
    const jwk = { ...(await exportJWK((await own).publicKey)), kid: 'one', alg: 'RS256' };
    remote = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/keys') keysAsked++;
      const answers: Record<string, unknown> = {
        '/.well-known/oauth-authorization-server': {
          issuer,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
        },
        '/keys': { keys: [jwk] },
        '/token': { access_token: token, token_type: 'Bearer', issued_token_type: 'x', expires_in: 600 },
      };
      request.resume();
      response.writeHead(request.url && request.url in answers ? 200 : 404);
      response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
    });
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
    server = await startTestServer(await fresh(), {
      ...{ tokenServiceUrl: issuer, tokenServiceClientId: 'innkeeper', tokenServiceClientSecret: 'secret' },
    });
    application = await server.application();
  });
  afterAll(async () => {
    await server.close();
    remote.close();
  });

  const sign = async (claims: JWTPayload, key = own) =>
    new SignJWT({ iss: issuer, aud: 'x', sub: 'y', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign((await key).privateKey);
  const seconds = () => Math.floor(server.service.now() / 1000);
  const exchange = (specialToken: string) =>
    server.post('/oauth/v2/get-access-token', { clientSecret: application.clientSecret, specialToken });

  const introspect = (accessToken: string) =>
    server.send('POST', '/oauth/v2/introspect', {
      headers: basic(application),
      body: new URLSearchParams({ token: accessToken }),
    });

  test('that cannot be verified, have expired or have another issuer are 0002, and the specialToken stays valid', async () => {
    const { specialToken } = await makeUser(server, application);
    const good = await sign({ exp: seconds() + 300 });
    const unusable = [
      await sign({ exp: seconds() + 300 }, other),
      await sign({ exp: seconds() - 1 }),
      await sign({ exp: seconds() + 300, iss: 'https://other.example' }),
      `${good.slice(0, -4)}AAAA`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.x`,
    ];
    for (const each of unusable) {
      token = each;
      const { status, json } = await exchange(specialToken);
      expect({ status, code: json.code }).toEqual({ status: 400, code: '0002' });
    }
    token = good;
    const granted = await exchange(specialToken);
    // The token itself expires before the server's expires_in.
    expect(granted.json).toMatchObject({ access_token: good, expires_in: expect.any(Number) });
    expect(granted.json.expires_in).toBeLessThanOrEqual(300);
    // The keys are fetched once: a wrong signature does not trigger another request.
    expect(keysAsked).toBe(1);
  });

  test('fractional and far-future times are stored as whole milliseconds', async () => {
    for (const exp of [seconds() + 300.123456, seconds() + 300.9999999, 1e15, Number.MAX_VALUE]) {
      const { specialToken } = await makeUser(server, application);
      token = await sign({ exp, iat: seconds() + 0.123456 });
      expect([exp, await exchange(specialToken)]).toMatchObject([exp, { status: 200, json: { access_token: token } }]);
      const seen = await introspect(token);
      expect([exp, seen.json]).toMatchObject([exp, { active: true, exp: expect.any(Number) }]);
      expect(Number.isSafeInteger(seen.json.exp) && Number.isSafeInteger(seen.json.iat)).toBe(true);
    }
  });

  test('an opaque token is passed on unchanged', async () => {
    const { specialToken } = await makeUser(server, application);
    token = `opaque-${specialToken.slice(-8)}`;
    expect((await exchange(specialToken)).json).toMatchObject({ access_token: token, expires_in: 600 });
  });
});
