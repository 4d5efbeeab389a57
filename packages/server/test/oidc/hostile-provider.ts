import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type Responder = (response: ServerResponse) => unknown;

export type HostileProvider = {
  issuer: string;
  /** The claims of the next ID token. */
  claims: JWTPayload;
  /** Overrides for the metadata. */
  metadata: Record<string, unknown>;
  /** Overrides for the responses, by path. */
  answers: Record<string, Responder>;
  /** The nonce of the last sign-in. */
  nonce: string;
  privateKey: CryptoKey;
  jwk: JWK;
  /** A correctly signed ID token. */
  idToken(): Promise<string>;
  close(): void;
};

/** An OpenID provider that signs any claims and sends any response that a test wants. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { issuer, metadata } = provider;
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    const answer = provider.answers[pathname];
    if (answer) return answer(response);
    if (pathname === '/authorize') {
      provider.nonce = searchParams.get('nonce') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'code');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return response.writeHead(303, { location: back.href }).end();
    }
    const bodies: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...metadata,
      }),
      '/keys': () => ({ keys: [jwk] }),
      '/token': async () => tokenAnswer(await provider.idToken()),
    };
    return answerJson(response, await bodies[pathname]?.());
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: HostileProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims: {},
    metadata: {},
    answers: {},
    nonce: '',
    privateKey,
    jwk,
    idToken: () =>
      new SignJWT({ iss: provider.issuer, aud: 'innkeeper', nonce: provider.nonce, ...provider.claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}

export function tokenAnswer(idToken: string): Record<string, unknown> {
  return { access_token: 'x', token_type: 'Bearer', id_token: idToken };
}

export function answerJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
