import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { manageWith } from '../manage/manage.ts';
import { withCatalog } from './options/example-catalog.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

const ALGORITHMS = ['EdDSA', 'RS256', 'ES256'] as const;
type Jwk = JWK & { kid: string; alg: string };

const PYTHON = `
import json, sys, jwt
given = json.load(sys.stdin)
key = jwt.PyJWK(given["jwk"]).key
print(jwt.decode(given["token"], key, algorithms=[given["jwk"]["alg"]], audience=given["audience"])["sub"])
`;
const PERL = `
use JSON::PP; use Crypt::JWT qw(decode_jwt);
local $/; my $given = decode_json(<STDIN>);
print decode_jwt(token => $given->{token}, key => $given->{jwk}, verify_aud => $given->{audience})->{sub};
`;
/** If the interpreter and its library are installed (Debian: python3-jwt, libcrypt-jwt-perl). */
const LANGUAGES = [
  {
    name: "Python's PyJWT (python3-jwt)",
    command: ['python3', '-c'],
    probe: 'import jwt, cryptography',
    program: PYTHON,
  },
  { name: "Perl's Crypt::JWT (libcrypt-jwt-perl)", command: ['perl', '-e'], probe: 'use Crypt::JWT;', program: PERL },
].map((language) => {
  const [command = '', flag = ''] = language.command;
  const run = (program: string, input: string) => spawnSync(command, [flag, program], { input, encoding: 'utf8' });
  return { ...language, run, isThere: run(language.probe, '').status === 0 };
});

describe.each(databases)('access tokens on $kind', (database) => {
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    const url = await database.fresh();
    const settings = { publicUrl: 'http://innkeeper.localhost' };
    [here, there] = await Promise.all([startTestServer(url, settings), startTestServer(url, settings)]);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  const jwks = async () => (await there.send('GET', '/oauth/v2/jwks')).json as unknown as { keys: Jwk[] };

  test.each(ALGORITHMS)(
    'are signed with %s if the application is set to it, and other libraries verify them',
    async (algorithm) => {
      const application = await here.application(algorithm === 'EdDSA' ? undefined : { tokenAlgorithm: algorithm });
      const { accessToken, userCode } = await makeSignedInUser(here, application);
      // Another replica publishes the new key immediately.
      const { keys: published } = await jwks();
      expect(published.map(({ alg }) => alg)).toContain(algorithm);
      const introspected = await there.send('POST', '/oauth/v2/introspect', {
        headers: basic(application),
        body: new URLSearchParams({ token: accessToken }),
      });
      expect(introspected.json).toMatchObject({ active: true, sub: userCode });
      const keys = await jwks();
      const { payload, protectedHeader } = await jwtVerify(accessToken, createLocalJWKSet(keys as JSONWebKeySet), {
        ...{ audience: application.clientId, issuer: 'http://innkeeper.localhost', typ: 'at+jwt' },
        currentDate: new Date(here.service.now()),
      });
      expect({ sub: payload.sub, alg: protectedHeader.alg }).toEqual({ sub: userCode, alg: algorithm });
      const jwk = keys.keys.find(({ kid }) => kid === protectedHeader.kid) as Jwk;
      expect(jwk).toMatchObject({ alg: algorithm, kid: await calculateJwkThumbprint(jwk) });
      expect(jwk).not.toHaveProperty('d');
      if (algorithm !== 'EdDSA') {
        const options = {
          audience: application.clientId,
          algorithms: [algorithm],
          clockTimestamp: here.service.now() / 1000,
        };
        const key = createPublicKey({ key: jwk, format: 'jwk' });
        expect(jsonwebtoken.verify(accessToken, key, options)).toMatchObject({ sub: userCode });
      }
      for (const { name, isThere, run, program } of LANGUAGES) {
        if (!isThere) {
          console.info(`${name} is not installed: ${algorithm} is not verified with it.`);
          continue;
        }
        const input = JSON.stringify({ token: accessToken, jwk, audience: application.clientId });
        const { stdout, stderr } = run(program, input);
        expect({ name, sub: stdout.trim(), stderr: stdout.trim() === userCode ? '' : stderr }).toEqual({
          name,
          sub: userCode,
          stderr: '',
        });
      }
    },
  );

  test('many first tokens of one algorithm create one key', async () => {
    const [before, application] = [await jwks(), await here.application({ tokenAlgorithm: 'ES256' })];
    await Promise.all(Array.from({ length: 6 }, () => makeSignedInUser(here, application)));
    const made = (await jwks()).keys.filter(({ kid }) => !before.keys.some((each) => each.kid === kid));
    expect(made.length).toBeLessThanOrEqual(1);
  });

  test('are signed with one algorithm, and accepted with no other', async () => {
    const application = await here.application({ tokenAlgorithm: 'RS256' });
    const { accessToken } = await makeSignedInUser(here, application);
    const [, claims, signature] = accessToken.split('.');
    const { kid } = JSON.parse(Buffer.from(accessToken.split('.')[0] as string, 'base64url').toString());
    for (const alg of ['none', 'HS256', 'EdDSA', 'RS512', 'PS256']) {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid })).toString('base64url');
      const body = new URLSearchParams({ token: `${header}.${claims}.${signature}` });
      const { json } = await here.send('POST', '/oauth/v2/introspect', { headers: basic(application), body });
      expect({ alg, active: json.active }).toEqual({ alg, active: false });
    }
  });

  test("contain the user's effective values of the keys in tokenClaims", async () => {
    const catalog = await withCatalog(here);
    const manage = await manageWith(here);
    const { clientId } = catalog.application;
    const set = (settings: unknown) => manage.send('PATCH', `/applications/${clientId}`, { settings });
    const motto = (await catalog.keyNamed('motto')).option_key_uid;
    const upper = String(motto).toUpperCase();
    const tokenClaims = `kitchen.fruit, kitchen.vegetarian,open.volume,${upper},kitchen.portions`;
    const { status, json } = await set({ tokenClaims });
    expect(status).toBe(200);
    expect(json.settings).toMatchObject({ tokenClaims: expect.arrayContaining([motto]) });
    const { userCode, accessToken: bare } = await makeSignedInUser(here, catalog.application);
    const optionsOf = (token: string) =>
      (JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as { options: unknown }).options;
    const defaults = { kitchen: { fruit: ['apple'], vegetarian: false }, open: { volume: 5 } };
    expect(optionsOf(bare)).toEqual(defaults);
    for (const [name, value] of [
      ['vegetarian', [true]],
      ['motto', ['Hello']],
    ] as const) {
      await here.post('/api/user_options', await catalog.choice(name, value, { user_uid: userCode }), catalog.apiKey);
    }
    const { clientUserId } = (
      await here.send('GET', `/api/v2/app/${clientId}/users/${userCode}`, { headers: basic(catalog.application) })
    ).json;
    const { specialToken } = (await here.post('/api/v2/app/special-token', { ...catalog.application, clientUserId }))
      .json;
    const { clientSecret } = catalog.application;
    const granted = await here.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    const token = granted.json.access_token as string;
    expect(optionsOf(token)).toEqual({
      kitchen: { fruit: ['apple'], vegetarian: true },
      open: { volume: 5, motto: 'Hello' },
    });
    expect(
      (await here.send('GET', '/api/user_options', { headers: { ...catalog.apiKey, ...bearer(token) } })).status,
    ).toBe(200);
    for (const tokenClaims of ['kitchen.nothing', 'kitchen', [7], Array.from({ length: 21 }, (_, at) => `k.${at}`)]) {
      expect((await set({ tokenClaims })).json.code).toBe('9400');
    }
    expect((await set({ tokenAlgorithm: 'HS256' })).json.code).toBe('9400');
  });
});
