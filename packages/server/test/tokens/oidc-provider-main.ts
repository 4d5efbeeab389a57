import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWK, jwtVerify } from 'jose';
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider';

/** The process behind oidc-provider-process.ts: a real oidc-provider, with faults in front of it. */

export type Fault =
  | 'none'
  /** Accepts connections and requests but never responds; the next fault, or none, closes them. */
  | 'black-hole'
  | '5xx'
  /** Responds correctly, after 2.5 s. */
  | 'slow'
  /** Only the token endpoint: HTTP 200 with a page that is not JSON. */
  | 'garbage'
  /** Only the token endpoint: HTTP 400 with an OAuth error. */
  | 'invalid_grant'
  /** This response at the given path. */
  | { path: string; status: number; headers?: Record<string, string>; body: string };

/**
 * Whose subject tokens are accepted: a JWKS, or its URL, which is read for each exchange because it may come up later.
 */
export type Trust = { trustJwks?: JSONWebKeySet; trustJwksUrl?: string };

/** For sign-in: the redirect URIs of the client. */
export type SignIn = { redirectUri: string; signedOutUri: string };
export type Person = { sub: string } & Record<string, unknown>;

export type ProviderSettings = Trust & {
  signIn?: SignIn;
  port: number;
  clientId: string;
  clientSecret: string;
  tokenFormat: 'jwt' | 'opaque';
  tokenSeconds: number;
  signingKey: JWK;
};

export type Seen = { connections: number; requests: Record<string, number> };
export type Command = { id: number; fault?: Fault; trust?: Trust; person?: Person | null };
export type Answer = { id: number; seen: Seen };

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const settings: ProviderSettings = JSON.parse(process.env.OIDC_PROVIDER_SETTINGS ?? '{}');
let trust: Trust = settings;
let fault: Fault = 'none';
/** null: they press cancel. */
let person: Person | null = { sub: 'nobody' };
const seen: Seen = { connections: 0, requests: {} };

async function identifySubject(subjectToken: string, issuer: string): Promise<string> {
  const { trustJwks = { keys: [] }, trustJwksUrl } = trust;
  const keys = trustJwksUrl
    ? createRemoteJWKSet(new URL(trustJwksUrl), { timeoutDuration: 60_000 })
    : createLocalJWKSet(trustJwks);
  const { payload } = await jwtVerify(subjectToken, keys, { audience: issuer, requiredClaims: ['sub', 'exp'] });
  return payload.sub ?? '';
}

function createProvider(issuer: string): Provider {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: settings.clientId,
        client_secret: settings.clientSecret,
        grant_types: [TOKEN_EXCHANGE, ...(settings.signIn ? ['authorization_code'] : [])],
        response_types: settings.signIn ? ['code'] : [],
        redirect_uris: settings.signIn ? [settings.signIn.redirectUri] : [],
        ...(settings.signIn && { post_logout_redirect_uris: [settings.signIn.signedOutUri] }),
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    jwks: { keys: [settings.signingKey] },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
    },
    ttl: { AccessToken: settings.tokenSeconds, Interaction: 600, Session: 600, Grant: 600 },
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups', 'xms_edov'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...person, sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  });

  async function exchangeToken(ctx: KoaContextWithOIDC): Promise<void> {
    const { client, params } = ctx.oidc;
    if (!client || !params) throw new errors.InvalidRequest('no client');
    const accountId = await identifySubject(String(params.subject_token), issuer).catch((error: Error) => {
      throw new errors.InvalidGrant(`subject_token: ${error.message}`);
    });
    const audience = String(params.audience);
    const grantId = await new provider.Grant({ clientId: client.clientId, accountId }).save();
    const token = new provider.AccessToken({ client, accountId, grantId, gty: 'token-exchange' });
    token.resourceServer = new provider.ResourceServer(audience, {
      audience,
      scope: '',
      accessTokenFormat: settings.tokenFormat,
      accessTokenTTL: settings.tokenSeconds,
      jwt: { sign: { alg: 'EdDSA' } },
    });
    ctx.body = {
      access_token: await token.save(),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: token.tokenType,
      expires_in: token.expiration,
    };
  }

  const params = ['subject_token', 'subject_token_type', 'requested_token_type', 'audience'];
  enterAtOnce = async (request, response) => {
    if (!person) {
      const cancelled = { error: 'access_denied', error_description: 'cancelled' };
      return provider.interactionFinished(request, response, cancelled);
    }
    const grant = new provider.Grant({ accountId: person.sub, clientId: settings.clientId });
    grant.addOIDCScope('openid email profile');
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { login: { accountId: person.sub }, consent });
  };
  provider.registerGrantType(TOKEN_EXCHANGE, exchangeToken, params);
  return provider;
}

const swallowed: ServerResponse[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  seen.requests[path] = (seen.requests[path] ?? 0) + 1;
  const answered = (status: number, type: string, body: string) =>
    response.writeHead(status, { 'content-type': type }).end(body);

  if (fault === 'black-hole') return void swallowed.push(response);
  if (fault === '5xx') return void answered(503, 'text/plain', 'out of order');
  if (fault === 'slow') await sleep(2_500);
  if (fault === 'garbage' && path === '/token') return void answered(200, 'text/html', '<p>Welcome</p>');
  if (fault === 'invalid_grant' && path === '/token') {
    return void answered(400, 'application/json', '{"error":"invalid_grant","error_description":"made to fail"}');
  }
  if (typeof fault === 'object' && fault.path === path) {
    return void response
      .writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      .end(fault.body);
  }
  if (path.startsWith('/interaction/')) return enterAtOnce(request, response);
  await handle(request, response);
}

/** Replaces the sign-in form. */
let enterAtOnce: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
const server = createServer((request, response) => void answer(request, response));
server.on('connection', () => {
  seen.connections += 1;
});
server.listen(settings.port, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  handle = createProvider(`http://127.0.0.1:${port}`).callback();
  process.send?.({ port });
});

process.on('message', (command: Command) => {
  fault = command.fault ?? fault;
  if (fault !== 'black-hole') for (const each of swallowed.splice(0)) each.destroy();
  trust = command.trust ?? trust;
  if (command.person !== undefined) person = command.person;
  process.send?.({ id: command.id, seen } satisfies Answer);
});
// Exits with the parent, however that ended.
process.on('disconnect', () => process.exit());
