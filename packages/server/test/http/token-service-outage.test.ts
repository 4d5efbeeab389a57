import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { type OidcProviderProcess, startOidcProvider } from '../tokens/oidc-provider-process.ts';
import { makeUser, startTestServer, type TestServer } from './start.ts';

const PATH = '/oauth/v2/get-access-token';

/** After 0009 or 0002, the specialToken is still valid. */
describe.each(databases)('get-access-token with a remote token service on $kind', (database) => {
  let provider: OidcProviderProcess;
  let server: TestServer;
  beforeAll(async () => {
    provider = await startOidcProvider();
    server = await startTestServer(await database.fresh(), {
      tokenServiceUrl: provider.url,
      tokenServiceClientId: provider.clientId,
      tokenServiceClientSecret: provider.clientSecret,
    });
  });
  afterAll(async () => {
    await server.close();
    await provider.stop();
  });

  test('0002 while it issues no token, 0009 while it is unreachable; then the same specialToken is exchanged', async () => {
    const application = await server.application();
    const { clientSecret } = application;
    const { specialToken } = await makeUser(server, application);
    const exchange = () => server.post(PATH, { clientSecret, specialToken });

    // It does not trust our subject tokens yet.
    expect(await exchange()).toMatchObject({ status: 400, json: { code: '0002' } });
    await provider.fail('refused');
    expect(await exchange()).toMatchObject({ status: 400, json: { code: '0009' } });
    for (let calls = 0; calls < 8; calls++) expect((await exchange()).json.code).toBe('0009');
    await provider.fail('none');
    await provider.trust({ trustJwksUrl: `${server.url}/oauth/v2/jwks` });
    expect((await exchange()).status).toBe(200);
    expect(await exchange()).toMatchObject({ status: 400, json: { code: '0008' } });
  });

  test('a token service that was never reached is tried again by the next request', async () => {
    await provider.fail('refused');
    const other = await startTestServer(await database.fresh(), {
      tokenServiceUrl: provider.url,
      tokenServiceClientId: provider.clientId,
      tokenServiceClientSecret: provider.clientSecret,
    });
    try {
      const application = await other.application();
      const { specialToken } = await makeUser(other, application);
      const exchange = () => other.post(PATH, { clientSecret: application.clientSecret, specialToken });
      expect((await exchange()).json.code).toBe('0009');
      await provider.fail('none');
      await provider.trust({ trustJwksUrl: `${other.url}/oauth/v2/jwks` });
      expect((await exchange()).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
