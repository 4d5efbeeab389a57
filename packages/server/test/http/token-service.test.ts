import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { awakeTime } from '../awake-time.ts';
import { databases } from '../databases.ts';
import type { Fault } from '../tokens/oidc-provider-main.ts';
import { type OidcProviderProcess, startOidcProvider } from '../tokens/oidc-provider-process.ts';
import { basic, bearer, makeSignedInUser, makeUser, startTestServer, type TestServer, uniqueName } from './start.ts';

describe.each(databases)('with its own token service, on $kind', ({ fresh }) => {
  let provider: OidcProviderProcess;
  let server: TestServer;
  /** Another replica, with the production timeout. */
  let hurried: TestServer;
  let application: Awaited<ReturnType<TestServer['application']>>;
  beforeAll(async () => {
    provider = await startOidcProvider();
    const url = await fresh();
    const settings = {
      tokenServiceUrl: provider.url,
      tokenServiceClientId: provider.clientId,
      tokenServiceClientSecret: provider.clientSecret,
    };
    server = await startTestServer(url, settings);
    hurried = await startTestServer(url, settings, { tokenServiceMs: 2_000 });
    await provider.trust({ trustJwksUrl: `${server.url}/oauth/v2/jwks` });
    application = await server.application();
    await hurried.service.refresh();
  });
  afterAll(async () => {
    await server.close();
    await hurried.close();
    await provider.stop();
  });

  const exchange = (specialToken: string, at = server) =>
    at.post('/oauth/v2/get-access-token', { clientSecret: application.clientSecret, specialToken });
  const introspect = (token: string) =>
    server.send('POST', '/oauth/v2/introspect', { body: new URLSearchParams({ token }), headers: basic(application) });

  it('issues tokens, recognises them, and accepts them until they are revoked or the user is gone', async () => {
    const email = `${uniqueName()}@example.com`;
    const { specialToken } = await makeUser(server, application, email);
    const granted = await exchange(specialToken);
    expect(granted).toMatchObject({
      status: 200,
      json: { email, token_type: 'Bearer', expires_in: expect.any(Number) },
    });
    const { access_token, service_user_code } = granted.json as Record<string, string>;
    const claims = JSON.parse(Buffer.from(String(access_token?.split('.')[1]), 'base64url').toString());
    expect(claims).toMatchObject({ iss: provider.url, sub: service_user_code, aud: application.clientId });
    expect((await exchange(specialToken)).json.code).toBe('0008');

    expect((await introspect(access_token as string)).json).toMatchObject({ active: true, sub: service_user_code });
    const other = await makeSignedInUser(server, application);
    await server.send('POST', '/oauth/v2/revoke', {
      body: new URLSearchParams({ token: other.accessToken }),
      headers: basic(application),
    });
    expect((await introspect(other.accessToken)).json).toEqual({ active: false });

    const path = `/api/v2/app/${application.clientId}/users/${service_user_code}`;
    expect((await server.send('DELETE', path, { headers: bearer(other.accessToken) })).status).toBe(400);
    expect((await server.send('DELETE', path, { headers: bearer(access_token as string) })).status).toBe(204);
    expect((await introspect(access_token as string)).json).toEqual({ active: false });
  });

  const faults: [Fault | 'refused', code: string, at: () => TestServer][] = [
    ['refused', '0009', () => server],
    ['black-hole', '0009', () => hurried],
    ['5xx', '0009', () => server],
    ['slow', '0009', () => hurried],
    ['garbage', '0002', () => server],
    ['invalid_grant', '0002', () => server],
    [{ path: '/token', status: 500, body: '{"error":"server_error"}' }, '0002', () => server],
    [{ path: '/token', status: 429, body: '{"error":"slow_down"}' }, '0002', () => server],
    [{ path: '/token', status: 502, body: '{}' }, '0009', () => server],
  ];
  it.each(faults)('%j: %s in time, and the specialToken stays valid', async (fault, code, at) => {
    const { specialToken } = await makeUser(server, application);
    await provider.fail(fault);
    const fail = async () => expect(await exchange(specialToken, at())).toMatchObject({ status: 400, json: { code } });
    expect(await awakeTime(fail)).toBeLessThan(10_000);
    await provider.fail('none');
    await vi.waitFor(async () => expect((await exchange(specialToken)).status).toBe(200), { timeout: 30_000 });
    expect((await exchange(specialToken)).json.code).toBe('0008');
  });

  it('requests that do not need it are served while exchanges wait for it', async () => {
    const waiting = await Promise.all(Array.from({ length: 60 }, () => makeUser(server, application)));
    await provider.fail('black-hole');
    let answered = 0;
    const exchanging = waiting.map(async ({ specialToken }) => {
      const { json } = await exchange(specialToken);
      answered++;
      return json.code;
    });
    expect((await server.send('GET', '/livez')).status).toBe(200);
    await makeUser(server, application);
    expect(answered).toBe(0);
    // Ends the waiting exchanges; some may not have reached the token service yet.
    await provider.fail('5xx');
    expect(new Set(await Promise.all(exchanging))).toEqual(new Set(['0009']));
    await provider.fail('none');
  });
});
