import { generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createIdentityProvider } from '../../src/tokens/remote/identity-provider.ts';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { SECRET, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { manageWith } from '../manage/manage.ts';
import { fromPortal, openSession, PASSWORD, signedIn, tokenOf, visitorWith } from '../portal/portal.ts';
import { type OidcProviderProcess, startOidcProvider } from '../tokens/oidc-provider-process.ts';
import { type Browser, openBrowser } from './browser-of.ts';

describe.each(databases)('sign-in by an OpenID provider on $kind', (database) => {
  let provider: OidcProviderProcess;
  let server: TestServer;
  let strict: TestServer;
  let editors: { appId: number; clientId: string };
  beforeAll(async () => {
    const port = String(await freePort());
    const publicUrl = `http://127.0.0.1:${port}`;
    const signIn = { redirectUri: `${publicUrl}/portal/oidc/callback`, signedOutUri: `${publicUrl}/portal/sign-in` };
    provider = await startOidcProvider({ signIn });
    const oidc = {
      oidcIssuer: provider.url,
      oidcClientId: provider.clientId,
      oidcClientSecret: provider.clientSecret,
    };
    const url = await database.fresh();
    strict = await startTestServer(url, { ...oidc, passwords: 'off' });
    editors = await strict.application();
    server = await startTestServer(url, {
      ...oidc,
      port,
      publicUrl,
      oidcName: 'Acme',
      oidcDomains: 'Example.com, other.example',
      oidcRolesClaim: 'groups',
      oidcRoles: `admins=administrator, editors=${editors.clientId}:editor, owners=${editors.clientId}:owner`,
    });
  });
  afterAll(() => Promise.all([server?.close(), strict?.close(), provider?.stop()]));
  afterEach(() => provider.fail('none'));

  const someone = (more: Record<string, unknown> = {}) => {
    const name = uniqueName('person');
    return { sub: name, email: `${name}@example.com`, email_verified: true, ...more };
  };
  const start = () => `${server.url}/portal/oidc/sign-in`;
  const enter = async (browser: Browser = openBrowser(), path = '') => ({
    browser,
    ...(await browser.open(`${start()}${path}`)),
  });
  const problemIn = (url: string) => new URL(url).searchParams.get('problem');
  const sessionOf = async ({ cookies }: Browser) =>
    (await visitorWith(server, `innkeeper=${cookies.get('innkeeper')}`).send('GET', '/session')).json;
  /** Signs in at the provider, but stops before the callback reaches the service. */
  const comeBack = async (browser: Browser) =>
    (await browser.open(start(), (url) => url.startsWith(`${server.url}/portal/oidc/callback`))).url;

  test('creates an account for a verified address of an allowed domain, and finds it again by its subject', async () => {
    const person = someone();
    await provider.person(person);
    const { browser, url } = await enter(undefined, '?next=%2Faccount');
    expect(url).toBe(`${server.url}/portal/account`);
    const session = await sessionOf(browser);
    expect(session).toMatchObject({
      email: person.email,
      administrator: false,
      hasPassword: false,
      needsLink: false,
      applications: [],
    });
    // From now on the provider's subject identifies the account, even if its address changes.
    await provider.person({ sub: person.sub, email: 'renamed@elsewhere.example', email_verified: false });
    const again = await enter();
    expect((await sessionOf(again.browser)).accountId).toBe(session.accountId);
    const audit = await (await signedIn(server)).send('GET', '/audit?limit=200');
    expect(audit.json.items).toContainEqual(
      expect.objectContaining({ action: 'account.created', subject: person.email, actor: person.email }),
    );
  });

  test.each([
    ['unverified', { email_verified: false }],
    ['unverified', { email_verified: undefined }],
    ['unverified', { email: undefined }],
    ['unverified', { email: 'no address' }],
    ['domain', { email: 'eve@evil.example' }],
    ['domain', { email: 'eve@sub.example.com' }],
    ['domain', { email: 'eve@notexample.com' }],
  ])('%s: %j gets no account', async (problem, more) => {
    await provider.person(someone(more));
    const { browser, url, status } = await enter();
    expect([problemIn(url), status, browser.cookies.has('innkeeper')]).toEqual([problem, 200, false]);
  });

  test('an account with a password is linked only by a verified address, to one identity', async () => {
    const email = `${uniqueName()}@elsewhere.example`;
    const owner = await signedIn(server, email);
    await owner.send('PUT', '/account/password', { password: PASSWORD });
    const person = someone({ email: email.toUpperCase() });
    await provider.person({ ...person, email_verified: false });
    expect(problemIn((await enter()).url)).toBe('unverified');
    await provider.person(person);
    const { browser } = await enter();
    expect(await sessionOf(browser)).toMatchObject({ email, hasPassword: true });
    // Another identity with the same address cannot take over the account.
    await provider.person({ ...person, sub: uniqueName('thief') });
    expect(problemIn((await enter()).url)).toBe('other-identity');
    // The password still works.
    expect((await openSession(server, { email, password: PASSWORD })).status).toBe(201);
  });

  test('an invited address gets an account in any domain, and accepts with it', async () => {
    const { appId, clientId } = await server.application();
    const person = someone({ email: `${uniqueName()}@agency.example` });
    await provider.person(person);
    expect(problemIn((await enter()).url)).toBe('domain');
    const manage = await manageWith(server, { appIds: [appId] });
    const invited = await manage.send('POST', `/applications/${clientId}/invitations`, {
      email: person.email,
      role: 'translator',
    });
    const { browser } = await enter();
    const visitor = visitorWith(server, `innkeeper=${browser.cookies.get('innkeeper')}`);
    const joined = await visitor.send('POST', '/account/invitations', { token: tokenOf(String(invited.json.link)) });
    expect(joined).toMatchObject({ status: 200, json: { role: 'translator' } });
  });

  test('roles follow the claim at every sign-in', async () => {
    // Another account that stays an administrator.
    await signedIn(server);
    const person = someone();
    const accessWith = async (groups: unknown) => {
      await provider.person({ ...person, groups });
      const { administrator, applications } = await sessionOf((await enter()).browser);
      const own = (applications as { clientId: string; access: string }[]).filter(
        ({ clientId }) => clientId === editors.clientId,
      );
      return [administrator, own[0]?.access];
    };
    expect(await accessWith(['editors', 'others'])).toEqual([false, 'write']);
    expect(await accessWith(['owners', 'editors'])).toEqual([false, 'own']);
    expect(await accessWith('editors')).toEqual([false, 'write']);
    expect(await accessWith(['admins'])).toEqual([true, 'own']);
    expect(await accessWith([])).toEqual([false, undefined]);
    expect(await accessWith({ admins: true })).toEqual([false, undefined]);
  });

  test('replayed or altered responses, and those of another browser, are rejected', async () => {
    await provider.person(someone());
    const browser = openBrowser();
    const back = await comeBack(browser);
    // Another browser has no pending sign-in.
    expect(problemIn((await openBrowser().open(back)).url)).toBe('expired');
    expect(problemIn((await browser.open(back.replace(/state=[^&]+/, 'state=other'))).url)).toBe('expired');
    expect((await browser.open(back)).url).toBe(`${server.url}/portal`);
    // The same callback again: the state is spent in every replica.
    browser.cookies.delete('innkeeper');
    expect(problemIn((await browser.open(back)).url)).toBe('expired');
    expect(browser.cookies.has('innkeeper')).toBe(false);
    // A used code with an unused state.
    const other = openBrowser();
    const fresh = await comeBack(other);
    const code = new URL(back).searchParams.get('code') as string;
    expect(problemIn((await other.open(fresh.replace(/code=[^&]+/, `code=${code}`))).url)).toBe('refused');
  });

  test('a wrong nonce, verifier or issuer in the response is rejected', async () => {
    await provider.person(someone());
    for (const part of ['nonce', 'verifier']) {
      const browser = openBrowser();
      const back = await comeBack(browser);
      const pending = JSON.parse(Buffer.from(browser.cookies.get('innkeeper-oidc') as string, 'base64url').toString());
      const altered = { ...pending, [part]: 'x'.repeat(43) };
      browser.cookies.set('innkeeper-oidc', Buffer.from(JSON.stringify(altered)).toString('base64url'));
      expect(problemIn((await browser.open(back)).url)).toBe('refused');
    }
    const browser = openBrowser();
    const back = new URL(await comeBack(browser));
    back.searchParams.set('iss', 'https://evil.example');
    expect(problemIn((await browser.open(back.href)).url)).toBe('refused');
  });

  test('an ID token of another issuer, audience or key, or an expired one, is rejected', async () => {
    const person = someone();
    await provider.person(person);
    const own = await importJWK(provider.signingKey, 'EdDSA');
    const { privateKey: other } = await generateKeyPair('EdDSA');
    const now = Math.floor(Date.now() / 1000);
    for (const [alter, key] of [
      [{ iss: 'https://evil.example' }, own],
      [{ aud: 'another' }, own],
      [{ exp: now - 600 }, own],
      [{}, other],
      [{ nonce: 'another' }, own],
    ] as const) {
      const browser = openBrowser();
      const back = await comeBack(browser);
      const { nonce } = JSON.parse(
        Buffer.from(browser.cookies.get('innkeeper-oidc') as string, 'base64url').toString(),
      );
      const claims = { iss: provider.url, aud: provider.clientId, iat: now, exp: now + 60, nonce, ...person, ...alter };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'EdDSA', kid: provider.signingKey.kid as string })
        .sign(key);
      const body = JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: token });
      await provider.fail({ path: '/token', status: 200, body });
      expect(problemIn((await browser.open(back)).url)).toBe('refused');
      expect(browser.cookies.has('innkeeper')).toBe(false);
      await provider.fail('none');
    }
  });

  test('an unreachable, failing or cancelled provider leads back to the sign-in page', async () => {
    await provider.person(null);
    expect(problemIn((await enter()).url)).toBe('cancelled');
    await provider.person(someone());
    for (const fault of ['refused', '5xx'] as const) {
      const browser = openBrowser();
      const back = await comeBack(browser);
      await provider.fail(fault);
      const { url, status } = await browser.open(back);
      expect([problemIn(url), status]).toEqual(['unreachable', 200]);
      await provider.fail('none');
    }
    const browser = openBrowser();
    const back = await comeBack(browser);
    await provider.fail('garbage');
    expect(problemIn((await browser.open(back)).url)).toBe('refused');
  });

  test('redirects lead only to paths of the portal', async () => {
    await provider.person(someone());
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/a\r\nset-cookie: x=1']) {
      const { url } = await enter(undefined, `?next=${encodeURIComponent(next)}`);
      expect(url).toBe(`${server.url}/portal`);
    }
  });

  test('signing out leads to the provider, which ends its session too', async () => {
    await provider.person(someone());
    const { browser } = await enter();
    const visitor = visitorWith(server, `innkeeper=${browser.cookies.get('innkeeper')}`);
    const url = new URL(String((await visitor.send('GET', '/session')).json.signOutUrl));
    expect((await visitor.send('DELETE', '/session')).status).toBe(204);
    expect(url.origin + url.pathname).toBe(`${provider.url}/session/end`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      post_logout_redirect_uri: `${server.url}/portal/sign-in`,
    });
    expect((await visitor.send('GET', '/session')).status).toBe(401);
    // Signing out of a session from a link does not involve the provider.
    expect((await (await signedIn(server)).send('GET', '/session')).json.signOutUrl).toBeNull();
  });

  test('the sign-in page shows available methods; disabled passwords do not work', async () => {
    const methods = async (at: TestServer) => (await at.send('GET', '/manage/v1/session/methods')).json;
    expect(await methods(server)).toEqual({ password: true, mail: false, oidc: { name: 'Acme' } });
    const { host } = new URL(provider.url);
    expect(await methods(strict)).toEqual({ password: false, mail: false, oidc: { name: host } });
    const email = `${uniqueName()}@example.com`;
    const visitor = await signedIn(server, email);
    await visitor.send('PUT', '/account/password', { password: PASSWORD });
    const refused = await openSession(strict, { email, password: PASSWORD });
    expect([refused.status, refused.json.code]).toEqual([409, '9409']);
    const here = await signedIn(strict, email);
    expect((await here.send('PUT', '/account/password', { password: PASSWORD })).status).toBe(409);
    // A new link confirms the action like a password.
    expect((await here.send('GET', '/session')).json).toMatchObject({ needsPassword: false, needsLink: false });
  });
});

test('invalid settings are rejected, each with a suggested fix', () => {
  const problems = (settings: Record<string, string>): string => {
    try {
      readConfig({ secret: SECRET, oidcClientId: 'a', oidcClientSecret: 'b', ...settings }, { env: {} });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const oidcIssuer = 'https://id.example.com/realms/a/';
  expect(problems({ oidcIssuer })).toBe('');
  expect(
    readConfig({ secret: SECRET, oidcClientId: 'a', oidcClientSecret: 'b', oidcIssuer }, { env: {} }).oidc,
  ).toMatchObject({
    issuer: oidcIssuer,
    name: 'id.example.com',
  });
  expect(problems({ oidcIssuer: 'http://127.0.0.1:1' })).toBe('');
  expect(problems({ oidcIssuer: 'http://id.example.com' })).toContain('unencrypted');
  expect(problems({ oidcIssuer, oidcClientSecret: '' })).toContain('_CLIENT_SECRET is not');
  expect(problems({ oidcIssuer, oidcRolesClaim: 'groups' })).toContain('work together');
  expect(problems({ oidcIssuer, oidcRolesClaim: 'groups', oidcRoles: 'a=boss' })).toContain('"a=boss"');
  expect(problems({ oidcIssuer, oidcDomains: '@example.com' })).toContain('INNKEEPER_OIDC_DOMAINS');
  expect(problems({ passwords: 'off' })).toContain('no one could sign in');
});

test('a provider whose metadata has another issuer, or none, is rejected', async () => {
  const provider = await startOidcProvider();
  const issuerAt = (path: string) =>
    createIdentityProvider({ issuer: provider.url + path, clientId: 'a', clientSecret: 'b', scope: 'openid' });
  try {
    await expect(issuerAt('/elsewhere').begin('http://127.0.0.1/')).rejects.toMatchObject({ kind: 'refused' });
    await expect(issuerAt('').begin('http://127.0.0.1/')).resolves.toMatchObject({ url: expect.any(String) });
    const body = JSON.stringify({
      issuer: 'https://evil.example',
      authorization_endpoint: 'https://evil.example/auth',
    });
    await provider.fail({ path: '/.well-known/openid-configuration', status: 200, body });
    await expect(issuerAt('').begin('http://127.0.0.1/')).rejects.toMatchObject({ kind: 'refused' });
    await provider.fail('refused');
    await expect(issuerAt('').begin('http://127.0.0.1/')).rejects.toMatchObject({ kind: 'unreachable' });
  } finally {
    await provider.stop();
  }
});

test('without a provider its addresses lead to the sign-in page', async () => {
  const server = await startTestServer(await (databases[0] as (typeof databases)[0]).fresh());
  try {
    for (const path of ['/portal/oidc/sign-in', '/portal/oidc/callback?code=a&state=b']) {
      const answer = await server.send('GET', path, { headers: fromPortal });
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        `${server.url}/portal/sign-in?problem=off`,
      ]);
    }
  } finally {
    await server.close();
  }
});
