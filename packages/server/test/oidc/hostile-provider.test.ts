import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createIdentityProvider } from '../../src/tokens/remote/identity-provider.ts';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { visitorWith } from '../portal/portal.ts';
import { openBrowser } from './browser-of.ts';
import { answerJson, type HostileProvider, startHostileProvider, tokenAnswer } from './hostile-provider.ts';

let remote: HostileProvider;
beforeAll(async () => {
  remote = await startHostileProvider();
});
afterAll(() => remote.close());
beforeEach(() => {
  const name = uniqueName('person');
  Object.assign(remote, { metadata: {}, answers: {} });
  remote.claims = { sub: name, email: `${name}@example.com`, email_verified: true };
});

describe.each(databases)('a hostile OpenID provider on $kind', (database) => {
  let server: TestServer;
  beforeEach(async () => {
    const port = String(await freePort());
    server = await startTestServer(await database.fresh(), {
      ...{ port, publicUrl: `http://127.0.0.1:${port}`, oidcDomains: 'example.com', oidcRolesClaim: 'groups' },
      ...{
        oidcRoles: 'admins=administrator',
        oidcIssuer: remote.issuer,
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
    const base = remote.claims;
    for (const sub of ['a\u0000b', 'a\ud800b', '', 'x'.repeat(256), 7 as unknown as string]) {
      remote.claims = { ...base, sub };
      expect([sub, await enter()]).toMatchObject([sub, { problem: 'refused', status: 200, session: 401 }]);
    }
    remote.claims = { ...base, sub: 'Zoë 1' };
    expect(await enter()).toMatchObject({ problem: null, session: 200 });
  });

  test.each(['nonsense', 'javascript:alert(1)', 7, { toString: 1 }, ['https://id.example.com/']])(
    'signing out does not redirect to %j',
    async (endpoint) => {
      remote.metadata = { end_session_endpoint: endpoint };
      expect(await enter()).toMatchObject({ session: 200, json: { signOutUrl: null } });
    },
  );

  test('endless responses and redirects lead back to the sign-in page', async () => {
    for (const path of ['/token', '/keys']) {
      for (const answer of [endless().answer, redirect]) {
        remote.answers = { [path]: answer, '/elsewhere': () => expect.unreachable() };
        expect(await enter()).toMatchObject({ problem: 'refused', status: 200, session: 401 });
      }
    }
  });
});

const JSON_HEAD = { 'content-type': 'application/json' };

/** Writes `piece` until the connection ends. `head` is sent raw before it; by default it is a complete one. */
function endless(piece = ' ', head?: string) {
  const counted = {
    written: 0,
    answer(response: ServerResponse) {
      const { socket } = response;
      const chunk = piece.repeat(Math.ceil(65_536 / piece.length));
      if (head === undefined) response.writeHead(200, JSON_HEAD);
      else socket?.write(head);
      const target = head === undefined ? response : socket;
      const write = () => {
        while (target && !socket?.destroyed && counted.written < 1e9) {
          counted.written += chunk.length;
          if (!target.write(chunk)) return;
        }
      };
      target?.on('drain', write);
      write();
    },
  };
  return counted;
}

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: '/elsewhere' }).end();
}

describe('the responses of a hostile OpenID provider', () => {
  /** Signs in; returns the claims, or the kind of the problem. */
  const enter = async (timeoutMs = 60_000) => {
    const provider = createIdentityProvider({
      ...{ issuer: remote.issuer, clientId: 'innkeeper', clientSecret: 'secret', scope: 'openid', timeoutMs },
    });
    const redirectUri = 'http://127.0.0.1/callback';
    try {
      const { url, pending } = await provider.begin(redirectUri);
      const { headers } = await fetch(url, { redirect: 'manual' });
      const { searchParams } = new URL(headers.get('location') ?? '');
      return await provider.finish(searchParams, pending, redirectUri);
    } catch (error) {
      return (error as { kind?: string }).kind ?? error;
    } finally {
      provider.close();
    }
  };
  const DISCOVERY = '/.well-known/openid-configuration';
  const PATHS = [DISCOVERY, '/token', '/keys', '/userinfo'];
  /** Signs in with this response at each path in turn; returns the outcomes. */
  const atEach = async (answer: (response: ServerResponse) => unknown, timeoutMs?: number) => {
    remote.metadata = { userinfo_endpoint: `${remote.issuer}/userinfo` };
    const outcomes: unknown[] = [];
    for (const path of PATHS) {
      remote.answers = { [path]: answer, '/elsewhere': () => expect.unreachable() };
      outcomes.push(await enter(timeoutMs));
    }
    return outcomes;
  };
  const all = (kind: string) => PATHS.map(() => kind);

  test('that are valid sign in', async () => {
    expect(await enter()).toMatchObject(remote.claims);
  });

  test('compressed, large and deeply nested bodies and redirects are rejected', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000, 0x20));
    const large = JSON.stringify({ keys: Array.from({ length: 40_000 }, (_, kid) => ({ ...remote.jwk, kid })) });
    const deep = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    for (const answer of [
      redirect,
      (response: ServerResponse) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      (response: ServerResponse) => response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' }).end(bomb),
      (response: ServerResponse) => response.writeHead(200, JSON_HEAD).end(large),
      (response: ServerResponse) => response.writeHead(200, JSON_HEAD).end(deep),
      (response: ServerResponse) => response.writeHead(200, JSON_HEAD).end('['.repeat(60_000)),
      (response: ServerResponse) => response.writeHead(204).end(),
      (response: ServerResponse) => response.writeHead(401, { 'www-authenticate': 'Bearer '.repeat(1000) }).end(),
    ]) {
      expect(await atEach(answer)).toEqual(all('refused'));
    }
  });

  const CHUNKED = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  test.each([
    ['bodies', 'refused', ' ', undefined],
    ['chunks', 'refused', '1\r\n \r\n', CHUNKED],
    ['chunk extensions', 'unreachable', 'y', `${CHUNKED}1;`],
    ['trailers', 'unreachable', 'x-more: y\r\n', `${CHUNKED}0\r\n`],
    ['headers', 'unreachable', 'x-more: y\r\n', 'HTTP/1.1 200 OK\r\n'],
    ['header values', 'unreachable', 'y', 'HTTP/1.1 200 OK\r\nx: '],
    ['interim responses', 'unreachable', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', ''],
  ])('endless %s are cut off', async (_, kind, piece, head) => {
    const sent = endless(piece, head);
    expect(await atEach(sent.answer, kind === 'refused' ? undefined : 250)).toEqual(all(kind));
    expect(sent.written).toBeLessThan(1e9);
  });

  test('keys in some chunks are read, and in thousands of them rejected', async () => {
    const inChunks = async (count: number) => {
      const body = JSON.stringify({ keys: [remote.jwk] });
      const text = `${CHUNKED}${'1\r\n \r\n'.repeat(count)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      remote.answers = { '/keys': ({ socket }) => socket?.end(text) };
      return enter();
    };
    expect(await inChunks(500)).toMatchObject(remote.claims);
    expect(await inChunks(2_000)).toBe('refused');
  });

  test('responses that trickle in end at the time limit', async () => {
    let timer: NodeJS.Timeout | undefined;
    const drip = (response: ServerResponse) => {
      response.writeHead(200, JSON_HEAD);
      timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    expect(await atEach(drip, 150)).toEqual(all('unreachable'));
    expect(await atEach(() => undefined, 150)).toEqual(all('unreachable'));
  });

  test.each([
    ['token_endpoint', 'http://169.254.169.254/latest/meta-data/'],
    ['token_endpoint', 'file:///etc/passwd'],
    ['token_endpoint', { toString: 1 }],
    ['token_endpoint_auth_methods_supported', 7],
    ['jwks_uri', 'http://169.254.169.254/latest/meta-data/'],
    ['jwks_uri', 'data:application/json,{"keys":[]}'],
    ['jwks_uri', ['x']],
    ['userinfo_endpoint', 'http://10.0.0.1/'],
    ['userinfo_endpoint', 7],
    ['authorization_endpoint', 7],
    ['authorization_endpoint', ''],
    ['issuer', 'https://other.example'],
    ['issuer', 7],
    ['id_token_signing_alg_values_supported', ['none']],
    ['id_token_signing_alg_values_supported', ['HS256']],
  ])('metadata with %s %j are rejected', async (name, value) => {
    remote.metadata = { [name]: value };
    expect(await enter()).toBe('refused');
  });

  test('ID tokens without a signature, or signed with the published key as a shared secret, are rejected', async () => {
    const claims = () => ({ iss: remote.issuer, aud: 'innkeeper', nonce: remote.nonce, ...remote.claims });
    const hmac = (key: string) => () =>
      new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(Buffer.from(key));
    for (const supported of [undefined, ['none', 'HS256', 'RS256']]) {
      remote.metadata = { id_token_signing_alg_values_supported: supported };
      for (const sign of [
        async () => new UnsecuredJWT(claims()).setIssuedAt().setExpirationTime('5m').encode(),
        async () => (await remote.idToken()).replace(/[^.]+$/, ''),
        hmac(JSON.stringify(remote.jwk)),
        hmac(remote.jwk.n as string),
        hmac('secret'),
      ]) {
        remote.answers = { '/token': async (response) => answerJson(response, tokenAnswer(await sign())) };
        expect(await enter()).toBe('refused');
      }
    }
  });

  test('the ID token of an earlier sign-in is rejected', async () => {
    expect(await enter()).toMatchObject(remote.claims);
    const earlier = await remote.idToken();
    remote.answers = { '/token': (response) => answerJson(response, tokenAnswer(earlier)) };
    expect(await enter()).toBe('refused');
  });

  test('only one published key may match', async () => {
    const { jwk } = remote;
    const others = (count: number, more: JWK) => Array.from({ length: count }, () => ({ ...jwk, ...more }));
    const published = async (keys: unknown) => {
      remote.answers = { '/keys': (response) => answerJson(response, { keys }) };
      return enter();
    };
    expect(await published([...others(100, { kid: 'two' }), jwk])).toMatchObject(remote.claims);
    for (const keys of [
      others(100, {}),
      [{ ...jwk, kty: 'oct', k: jwk.n }],
      [{ ...jwk, n: 'AQAB' }],
      [{ ...jwk, e: 'x'.repeat(50_000) }],
      [{ ...jwk, x5c: 7, key_ops: 7, use: 7 }],
      [null],
      [],
      'one',
      {},
    ]) {
      expect([keys, await published(keys)]).toEqual([keys, 'refused']);
    }
  });

  test.each([
    [{ email: 'a@example.com' }, { email: 'a@example.com', email_verified: true }, 'a@example.com', true],
    [{ email: 'a@example.com', email_verified: true }, { email_verified: false }, 'a@example.com', true],
    [{}, { email: 'a@example.com', email_verified: true }, 'a@example.com', true],
    [{ email: 'a@example.com' }, { email: 'b@example.com', email_verified: true }, 'a@example.com', undefined],
    [{ email: 'a@example.com' }, { email_verified: true }, 'a@example.com', undefined],
    [{ email_verified: true }, { email: 'b@example.com', email_verified: false }, 'b@example.com', false],
  ])('an ID token with %j and user info with %j: %s, verified: %j', async (token, info, email, verified) => {
    const { sub } = remote.claims;
    remote.claims = { sub: sub as string, ...token };
    remote.metadata = { userinfo_endpoint: `${remote.issuer}/userinfo` };
    remote.answers = { '/userinfo': (response) => answerJson(response, { sub, groups: ['a'], ...info }) };
    const claims = (await enter()) as Record<string, unknown>;
    expect([claims.sub, claims.groups, claims.email, claims.email_verified]).toEqual([sub, ['a'], email, verified]);
  });
});
