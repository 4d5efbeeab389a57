import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TokenServiceRefused, TokenServiceUnreachable } from '../../src/tokens/port.ts';
import type { RemoteTokenServiceOptions } from '../../src/tokens/remote.ts';
import type { Fault } from './oidc-provider-main.ts';
import { type OidcProviderProcess, startOidcProvider } from './oidc-provider-process.ts';
import { connect, createInnkeeperKey, hashToken, LONG_TIMEOUT, request } from './remote-service.ts';

let signSubjectToken: RemoteTokenServiceOptions['signSubjectToken'];
let provider: OidcProviderProcess;

beforeAll(async () => {
  const innkeeper = await createInnkeeperKey();
  signSubjectToken = innkeeper.signSubjectToken;
  provider = await startOidcProvider({ trustJwks: innkeeper.trustJwks });
});
afterEach(() => provider.fail('none'));
afterAll(() => provider.stop());

const tokenAnswer = (answer: unknown, status = 200): Fault => ({
  path: '/token',
  status,
  body: typeof answer === 'string' ? answer : JSON.stringify(answer),
});

describe('issue', () => {
  it('exchanges our assertion for a token of the server', async () => {
    const before = Date.now();
    const issued = await connect(provider, { signSubjectToken }).issue(request);
    expect(issued.tokenId).toBe(hashToken(issued.accessToken));
    expect(issued.issuedAt).toBeGreaterThanOrEqual(before);
    // The token's expiry is in whole seconds.
    expect(issued.expiresAt).toBeGreaterThan(issued.issuedAt + 598_000);
    expect(issued.expiresAt).toBeLessThanOrEqual(issued.issuedAt + 600_000);
  });

  it('uses the requested lifetime if the server returns none', async () => {
    await provider.fail(tokenAnswer({ access_token: 'abc', token_type: 'bearer' }));
    const issued = await connect(provider, { signSubjectToken }).issue(request);
    expect(issued.expiresAt - issued.issuedAt).toBe(3_600_000);
  });

  it('supports a server with only OpenID Connect metadata', async () => {
    await provider.fail({ path: '/.well-known/oauth-authorization-server', status: 404, body: 'not here' });
    await expect(connect(provider, { signSubjectToken }).issue(request)).resolves.toBeDefined();
  });

  it.each([
    ['another issuer', { issuer: 'https://tokens.example' }],
    ['an endpoint that is not safe', { token_endpoint: 'http://tokens.example/token' }],
    ['no token endpoint', { token_endpoint: undefined }],
  ])('fails if the metadata names %s', async (_, change) => {
    const metadata = { issuer: provider.url, token_endpoint: `${provider.url}/token`, ...change };
    const path = '/tenant/.well-known/openid-configuration';
    await provider.fail({
      path,
      status: 200,
      body: JSON.stringify({ ...metadata, issuer: `${metadata.issuer}/tenant` }),
    });
    const tenant = { ...provider, url: `${provider.url}/tenant` };
    await expect(connect(tenant, { signSubjectToken }).issue(request)).rejects.toThrow(TokenServiceRefused);
  });

  it('supports a server that fetches our keys from a URL', async () => {
    const innkeeper = await createInnkeeperKey();
    const keys = createServer((_, response) => void response.end(JSON.stringify(innkeeper.trustJwks)));
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    const { port } = keys.address() as AddressInfo;
    const trusting = await startOidcProvider();
    try {
      const service = connect(trusting, innkeeper);
      await expect(service.issue(request)).rejects.toThrow(TokenServiceRefused);
      await trusting.trust({ trustJwksUrl: `http://127.0.0.1:${port}/jwks` });
      await expect(service.issue(request)).resolves.toBeDefined();
    } finally {
      await trusting.stop();
      keys.close();
      keys.closeAllConnections();
    }
  });

  it('fails if the server does not trust our key or our credentials', async () => {
    const stranger = await createInnkeeperKey();
    await expect(connect(provider, stranger).issue(request)).rejects.toThrow(TokenServiceRefused);
    const impostor = connect({ ...provider, clientSecret: 'wrong' }, { signSubjectToken });
    await expect(impostor.issue(request)).rejects.toThrow(TokenServiceRefused);
  });

  it('fails if our own key is unavailable', async () => {
    const keyless = connect(provider, { signSubjectToken: () => Promise.reject(new Error('no key')) });
    await expect(keyless.issue(request)).rejects.toThrow(TokenServiceRefused);
  });
});

describe('a response without a usable token is a failure', () => {
  const usable = { access_token: 'abc', token_type: 'Bearer', expires_in: 60 };
  it.each<[string, Fault]>([
    ['a page', 'garbage'],
    ['an OAuth error', 'invalid_grant'],
    ['not JSON', tokenAnswer('{"access_token":')],
    ['nothing', tokenAnswer('')],
    ['a list', tokenAnswer([usable])],
    ['no access_token', tokenAnswer({ ...usable, access_token: undefined })],
    ['an empty access_token', tokenAnswer({ ...usable, access_token: '' })],
    ['a number for access_token', tokenAnswer({ ...usable, access_token: 7 })],
    ['an access_token with a line break', tokenAnswer({ ...usable, access_token: 'a\r\nb' })],
    ['an access_token over 8 KiB', tokenAnswer({ ...usable, access_token: 'a'.repeat(8 * 1024 + 1) })],
    ['no token_type', tokenAnswer({ ...usable, token_type: undefined })],
    ['a DPoP token', tokenAnswer({ ...usable, token_type: 'DPoP' })],
    ['a token that is not an access token', tokenAnswer({ ...usable, token_type: 'N_A' })],
    ['expires_in of 0', tokenAnswer({ ...usable, expires_in: 0 })],
    ['expires_in of -5', tokenAnswer({ ...usable, expires_in: -5 })],
    ['expires_in of null', tokenAnswer({ ...usable, expires_in: null })],
    ['over 64 KiB', tokenAnswer({ ...usable, padding: 'a'.repeat(64 * 1024) })],
    ['403', tokenAnswer('forbidden', 403)],
    ['404', tokenAnswer('not here', 404)],
    ['204', { path: '/token', status: 204, body: '' }],
    ['a redirect', { path: '/token', status: 307, headers: { location: '/elsewhere' }, body: '' }],
  ])('%s', async (_, fault) => {
    await provider.fail(fault);
    await expect(connect(provider, { signSubjectToken }).issue(request)).rejects.toThrow(TokenServiceRefused);
    expect((await provider.seen()).requests['/elsewhere']).toBeUndefined();
  });
});

describe('ping and close', () => {
  it('ping asks the server itself', async () => {
    const service = connect(provider, { signSubjectToken });
    await service.ping();
    await provider.fail('refused');
    await expect(service.ping()).rejects.toThrow(TokenServiceUnreachable);
    await provider.fail({ path: '/.well-known/openid-configuration', status: 404, body: '' });
    const lost = connect({ ...provider, url: `${provider.url}/nowhere` }, { signSubjectToken });
    await expect(lost.ping()).rejects.toThrow(/must be its issuer/);
  });

  it('close aborts calls in flight', async () => {
    const service = connect(provider, { signSubjectToken, ...LONG_TIMEOUT });
    await provider.fail('black-hole');
    const waiting = expect(service.issue(request)).rejects.toThrow(TokenServiceUnreachable);
    await sleep(100);
    await service.close();
    await waiting;
    await expect(service.issue(request)).rejects.toThrow(TokenServiceUnreachable);
  });

  it.each(['http://tokens.example', 'http://127.0.0.1.example', 'ftp://localhost'])(
    '%s is not a valid address',
    (url) => {
      expect(() => connect({ ...provider, url }, { signSubjectToken })).toThrow(/use https/);
    },
  );
});
