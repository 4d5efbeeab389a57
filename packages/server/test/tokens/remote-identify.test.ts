import { createSecretKey } from 'node:crypto';
import { generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TokenServiceUnreachable } from '../../src/tokens/port.ts';
import type { RemoteTokenServiceOptions } from '../../src/tokens/remote.ts';
import { type OidcProviderProcess, startOidcProvider } from './oidc-provider-process.ts';
import { APPLICATION, connect, createInnkeeperKey, hashToken, LONG_TIMEOUT, request } from './remote-service.ts';

let signSubjectToken: RemoteTokenServiceOptions['signSubjectToken'];
let jwt: OidcProviderProcess;
let opaque: OidcProviderProcess;

beforeAll(async () => {
  const innkeeper = await createInnkeeperKey();
  signSubjectToken = innkeeper.signSubjectToken;
  const { trustJwks } = innkeeper;
  [jwt, opaque] = await Promise.all([
    startOidcProvider({ trustJwks, tokenFormat: 'jwt' }),
    startOidcProvider({ trustJwks, tokenFormat: 'opaque' }),
  ]);
});
afterEach(() => Promise.all([jwt.fail('none'), opaque.fail('none')]));
afterAll(() => Promise.all([jwt.stop(), opaque.stop()]));

describe.each([
  ['jwt', () => jwt, '/jwks'],
  ['opaque', () => opaque, '/token/introspection'],
] as const)('a token of the %s kind', (kind, provider, endpoint) => {
  it('is identified by every replica, and not verified again', async () => {
    const issued = await connect(provider(), { signSubjectToken }).issue(request);
    expect(issued.accessToken.includes('.')).toBe(kind === 'jwt');
    const replica = connect(provider(), { signSubjectToken });
    const before = (await provider().seen()).requests[endpoint] ?? 0;
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => replica.identify(issued.accessToken)));
      for (const token of answers) {
        expect(token?.tokenId).toBe(hashToken(issued.accessToken));
        expect(Math.abs((token?.issuedAt ?? 0) - issued.issuedAt)).toBeLessThan(30_000);
        expect(Math.abs((token?.expiresAt ?? 0) - issued.expiresAt)).toBeLessThan(30_000);
      }
    }
    expect((await provider().seen()).requests[endpoint]).toBe(before + 1);
  });

  it('is not identified after it has expired', async () => {
    let ahead = 0;
    const service = connect(provider(), { signSubjectToken, now: () => Date.now() + ahead });
    const { accessToken } = await service.issue(request);
    expect(await service.identify(accessToken)).toBeDefined();
    ahead = 601_000;
    expect(await service.identify(accessToken)).toBeUndefined();
  });

  it.each(['', 'x', 'a.b.c', 'né', 'a b', 'a\0b', 'a'.repeat(9_000)])('is not %j', async (text) => {
    expect(await connect(provider(), { signSubjectToken }).identify(text)).toBeUndefined();
  });

  it('cannot be identified while a server that was never reached is down', async () => {
    const { accessToken } = await connect(provider(), { signSubjectToken }).issue(request);
    const service = connect(provider(), { signSubjectToken });
    await provider().fail('5xx');
    await expect(service.identify(accessToken)).rejects.toThrow(TokenServiceUnreachable);
  });
});

describe('a JWT', () => {
  const claims = () => {
    const now = Math.floor(Date.now() / 1000);
    return { iss: jwt.url, aud: APPLICATION, sub: 'ada', iat: now, exp: now + 60 };
  };
  const sign = async (payload: object, header: object = {}, key = jwt.signingKey) =>
    new SignJWT({ ...payload })
      .setProtectedHeader({ alg: 'EdDSA', kid: jwt.signingKey.kid ?? '', typ: 'at+jwt', ...header })
      .sign(await importJWK(key, 'EdDSA'));

  it('is identified by signature, issuer and expiry, with or without the name of its key', async () => {
    const service = connect(jwt, { signSubjectToken });
    expect(await service.identify(await sign(claims()))).toBeDefined();
    expect(await service.identify(await sign(claims(), { kid: undefined }))).toBeDefined();
    expect(await service.identify(await sign({ ...claims(), aud: ['other', APPLICATION] }))).toBeDefined();
  });

  // Token exchange issues such tokens: their expiry and application are in our own row.
  it('is identified without audience or expiry', async () => {
    let ahead = 0;
    const service = connect(jwt, { signSubjectToken, now: () => Date.now() + ahead });
    const endless = await sign({ ...claims(), exp: undefined });
    expect(await service.identify(await sign({ ...claims(), aud: undefined }))).toBeDefined();
    expect(await service.identify(endless)).toMatchObject({ expiresAt: expect.any(Number) });
    ahead = 86_400_000;
    const { expiresAt } = (await service.identify(endless)) ?? { expiresAt: 0 };
    expect(expiresAt).toBeGreaterThan(Date.now() + ahead);
    expect(Number.isFinite(expiresAt)).toBe(true);
  });

  it('is not identified if any of them is wrong', async () => {
    const service = connect(jwt, { signSubjectToken });
    const { privateKey } = await generateKeyPair('EdDSA');
    const header = { alg: 'EdDSA', kid: jwt.signingKey.kid ?? '' };
    const secret = createSecretKey(Buffer.from(jwt.signingKey.x ?? '', 'base64url'));
    const genuine = await sign(claims());
    const past = claims().iat - 3_600;
    const wrong = {
      'another key': await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey),
      'the key of another server': await sign(claims(), { kid: opaque.signingKey.kid }, opaque.signingKey),
      'another issuer': await sign({ ...claims(), iss: opaque.url }),
      'no issuer': await sign({ ...claims(), iss: undefined }),
      expired: await sign({ ...claims(), iat: past, exp: claims().iat - 1 }),
      'not yet good': await sign({ ...claims(), nbf: claims().iat + 120 }),
      unsigned: new UnsecuredJWT(claims()).encode(),
      'the public key as a shared secret': await new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256' })
        .sign(secret),
      'a changed payload': genuine.replace(
        /\..*\./,
        `.${Buffer.from(JSON.stringify(claims())).toString('base64url')}x.`,
      ),
      'no signature': genuine.replace(/[^.]*$/, ''),
    };
    for (const [name, token] of Object.entries(wrong)) expect(await service.identify(token), name).toBeUndefined();
    expect(await service.identify(genuine)).toBeDefined();
  });

  it('is identified while its server is down, once its keys are known', async () => {
    const service = connect(jwt, { signSubjectToken });
    await service.identify(await sign(claims()));
    const another = await sign({ ...claims(), jti: 'another' });
    await jwt.fail('black-hole');
    expect(await service.identify(another)).toBeDefined();
  });

  it('with an unknown key id does not reload the keys again and again', async () => {
    const service = connect(jwt, { signSubjectToken });
    await service.identify(await sign(claims()));
    const before = (await jwt.seen()).requests['/jwks'];
    for (let made = 0; made < 20; made += 1) {
      expect(await service.identify(await sign(claims(), { kid: `made-up-${made}` }))).toBeUndefined();
    }
    expect((await jwt.seen()).requests['/jwks']).toBe(before);
  });
});

describe('an opaque token', () => {
  async function revoke(token: string): Promise<void> {
    const credentials = Buffer.from(`${opaque.clientId}:${opaque.clientSecret}`).toString('base64');
    const response = await fetch(`${opaque.url}/token/revocation`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ token }),
    });
    expect(response.status).toBe(200);
  }

  it('that the server revoked is noticed within 30 s', async () => {
    let ahead = 0;
    const service = connect(opaque, { signSubjectToken, now: () => Date.now() + ahead });
    const { accessToken } = await service.issue(request);
    expect(await service.identify(accessToken)).toBeDefined();
    await revoke(accessToken);
    ahead = 31_000;
    expect(await service.identify(accessToken)).toBeUndefined();
  });

  it('keeps its last valid answer for five minutes of an outage', async () => {
    let ahead = 0;
    const service = connect(opaque, { signSubjectToken, now: () => Date.now() + ahead });
    const { accessToken } = await service.issue(request);
    await service.identify(accessToken);
    await opaque.fail('5xx');
    ahead = 31_000;
    const before = (await opaque.seen()).requests['/token/introspection'] ?? 0;
    for (let round = 0; round < 50; round += 1) expect(await service.identify(accessToken)).toBeDefined();
    expect((await opaque.seen()).requests['/token/introspection']).toBeLessThanOrEqual(before + 6);
    ahead = 301_000;
    await expect(service.identify(accessToken)).rejects.toThrow(TokenServiceUnreachable);
  });

  it('with a last valid answer does not wait for a slow server', async () => {
    let ahead = 0;
    const service = connect(opaque, { signSubjectToken, now: () => Date.now() + ahead, ...LONG_TIMEOUT });
    const { accessToken } = await service.issue(request);
    await service.identify(accessToken);
    await opaque.fail('black-hole');
    ahead = 31_000;
    expect(await service.identify(accessToken)).toBeDefined();
  });

  it('that is unknown is looked up once', async () => {
    const service = connect(opaque, { signSubjectToken });
    const before = (await opaque.seen()).requests['/token/introspection'] ?? 0;
    for (let round = 0; round < 20; round += 1) expect(await service.identify('made-up')).toBeUndefined();
    expect((await opaque.seen()).requests['/token/introspection']).toBe(before + 1);
  });

  it.each([
    ['credentials that are not accepted', 401, '{"error":"invalid_client"}'],
    ['an answer that says nothing', 200, '{}'],
    ['a page', 200, '<p>Welcome</p>'],
  ])('cannot be judged by %s', async (_, status, body) => {
    await opaque.fail({ path: '/token/introspection', status, body });
    const service = connect(opaque, { signSubjectToken });
    await expect(service.identify('some-token')).rejects.toThrow(TokenServiceUnreachable);
  });
});
