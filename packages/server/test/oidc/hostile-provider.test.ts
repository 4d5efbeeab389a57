import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { visitorWith } from '../portal/portal.ts';
import { openBrowser } from './browser-of.ts';

type Answering = (response: ServerResponse) => void;

/** A provider that signs whatever claims a test wants, and answers as badly as it likes. */
describe.each(databases)('a hostile OpenID provider on $kind', (database) => {
  let remote: Server;
  let issuer: string;
  let server: TestServer;
  let claims: JWTPayload;
  let metadata: Record<string, unknown>;
  let answers: Record<string, Answering>;
  let nonce = '';
  const pair = generateKeyPair('RS256');
  beforeAll(async () => {
    const { publicKey, privateKey } = await pair;
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      const { pathname, searchParams } = new URL(request.url ?? '', issuer);
      const answer = answers[pathname];
      if (answer) return answer(response);
      if (pathname === '/authorize') {
        nonce = searchParams.get('nonce') ?? '';
        const back = new URL(searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', 'code');
        back.searchParams.set('state', searchParams.get('state') ?? '');
        return response.writeHead(303, { location: back.href }).end();
      }
      const idToken = () =>
        new SignJWT({ iss: issuer, aud: 'innkeeper', nonce, ...claims })
          .setProtectedHeader({ alg: 'RS256', kid: 'one' })
          .setIssuedAt()
          .setExpirationTime('5m')
          .sign(privateKey);
      const bodies: Record<string, () => unknown> = {
        '/.well-known/openid-configuration': () => ({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          ...metadata,
        }),
        '/keys': () => ({ keys: [jwk] }),
        '/token': async () => ({ access_token: 'x', token_type: 'Bearer', id_token: await idToken() }),
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await bodies[pathname]?.()));
    };
    remote = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    remote.closeAllConnections();
    remote.close();
  });
  beforeEach(async () => {
    [metadata, answers] = [{}, {}];
    const name = uniqueName('person');
    claims = { sub: name, email: `${name}@example.com`, email_verified: true };
    const port = String(await freePort());
    server = await startTestServer(await database.fresh(), {
      ...{ port, publicUrl: `http://127.0.0.1:${port}`, oidcDomains: 'example.com', oidcRolesClaim: 'groups' },
      ...{
        oidcRoles: 'admins=administrator',
        oidcIssuer: issuer,
        oidcClientId: 'innkeeper',
        oidcClientSecret: 'secret',
      },
    });
    return () => server.close();
  });

  const enter = async () => {
    const browser = openBrowser();
    const { url, status } = await browser.open(`${server.url}/portal/oidc/sign-in`);
    const session = await visitorWith(server, `innkeeper=${browser.cookies.get('innkeeper')}`).send('GET', '/session');
    return { problem: new URL(url).searchParams.get('problem'), status, session: session.status, json: session.json };
  };

  test('a subject that databases cannot store is rejected, and so is an empty one', async () => {
    const base = claims;
    for (const sub of ['a\u0000b', 'a\ud800b', '', 'x'.repeat(256), 7 as unknown as string]) {
      claims = { ...base, sub };
      expect([sub, await enter()]).toMatchObject([sub, { problem: 'refused', status: 200, session: 401 }]);
    }
    claims = { ...base, sub: 'Zoë 1' };
    expect(await enter()).toMatchObject({ problem: null, session: 200 });
  });

  test.each(['nonsense', 'javascript:alert(1)', 7])('signing out does not redirect to %s', async (endpoint) => {
    metadata = { end_session_endpoint: endpoint };
    expect(await enter()).toMatchObject({ session: 200, json: { signOutUrl: null } });
  });

  test('endless and compressed responses and redirects are rejected, with little read', async () => {
    const json = { 'content-type': 'application/json' };
    const bomb = gzipSync(Buffer.alloc(100_000_000, 0x20));
    let written = 0;
    const endless: Answering = (response) => {
      const chunk = Buffer.alloc(65_536, 0x20);
      const write = () => {
        do written += chunk.length;
        while (response.write(chunk));
      };
      response.writeHead(200, json).on('drain', write);
      write();
    };
    for (const path of ['/token', '/keys']) {
      for (const answer of [
        endless,
        (response: ServerResponse) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb),
        (response: ServerResponse) => response.writeHead(302, { location: `${issuer}/elsewhere` }).end(),
        (response: ServerResponse) => response.writeHead(200, json).end('['.repeat(60_000)),
      ]) {
        answers = { [path]: answer, '/elsewhere': () => expect.unreachable() };
        expect(await enter()).toMatchObject({ problem: 'refused', status: 200, session: 401 });
      }
    }
    expect(written).toBeLessThan(50_000_000);
  });
});
