import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { SigningKeys } from '../../packages/server/src/tokens/keys.ts';
import { basic, bearer, makeSignedInUser, startTestServer } from '../../packages/server/test/http/start.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { startTrustingServer } from '../controls/trusting-server.ts';
import { bothDatabases } from '../databases.ts';

type Json = Record<string, unknown>;
/** A genuine token, what a forger can find out, and what only the service has. */
type Genuine = {
  token: string;
  other: { token: string; userCode: string; clientId: string };
  publicKey: Json;
  signAsService(type: 'at+jwt' | 'JWT', claims: Json): Promise<string> | string;
};
/** Where a token is sent; returns whether it was accepted. */
type Target = { name: string; genuine: Genuine; shown: [place: string, taken: (token: string) => Promise<boolean>][] };

export const forgedTokens: Campaign = {
  name: 'forged-tokens',
  title: 'forged and confused access tokens, wherever one is accepted, on both databases',
  promise: 'none is accepted or has an effect',
  operatorSees: '1007 and 0011',
  unit: 'tokens',
  times: { short: 200, full: 200 },
  run: async (context) => run(context, await realTargets(context)),
  control: {
    what: 'a service that reads tokens without checking them',
    times: 60,
    run: async (context) => run(context, [await trustingTarget(context)]),
  },
};

async function run(context: CampaignContext, targets: Target[]): Promise<void> {
  const tries = targets.flatMap((target) =>
    Object.entries(forgeries(target.genuine)).flatMap(([forgery, make]) =>
      target.shown.map(([place, taken]) => ({ what: `${target.name}: ${forgery}, ${place}`, make, taken })),
    ),
  );
  context.report(`${tries.length} different ones`);
  for (let round = 0; round < context.times; round++) {
    const { what, make, taken } = tries[round % tries.length] as (typeof tries)[0];
    await context.attempt(async (lose) => {
      if (await taken(await make())) lose(what);
    });
  }
  for (const { name, genuine, shown } of targets) {
    const [[, taken]] = shown as [Target['shown'][0]];
    if (!(await taken(genuine.token)))
      throw new Error(`${name}: the genuine token is refused, so the others prove nothing`);
  }
}

const encode = (part: Json | Uint8Array): string =>
  (part instanceof Uint8Array ? Buffer.from(part) : Buffer.from(JSON.stringify(part))).toString('base64url');
const decode = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString());

/** Attacks known to have worked somewhere. */
function forgeries({
  token,
  other,
  publicKey,
  signAsService,
}: Genuine): Record<string, () => Promise<string> | string> {
  const [head, body, signature] = token.split('.') as [string, string, string];
  const [header, claims] = [decode(head), decode(body)];
  const own = generateKeyPairSync('ed25519');
  const onCurve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const unsigned = (change: Json, with_ = claims) => `${encode({ ...header, ...change })}.${encode(with_)}`;
  const byHmac = (key: string | Uint8Array) => {
    const text = unsigned({ alg: 'HS256' });
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const bySelf = (change: Json) => {
    const text = unsigned(change);
    return `${text}.${sign(null, Buffer.from(text), own.privateKey).toString('base64url')}`;
  };
  const byOther = (alg: string, key: typeof own.privateKey) => {
    const text = unsigned({ alg });
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const altered = (change: Json) => `${head}.${encode({ ...claims, ...change })}.${signature}`;
  const service = (change: Json, type: 'at+jwt' | 'JWT' = 'at+jwt') => signAsService(type, { ...claims, ...change });
  const ownJwk = own.publicKey.export({ format: 'jwk' }) as Json;
  const now = Math.floor(Date.now() / 1000);
  return {
    'alg none': () => `${unsigned({ alg: 'none' })}.`,
    'alg None, its signature kept': () => `${unsigned({ alg: 'None' })}.${signature}`,
    'no signature': () => `${head}.${body}.`,
    'two parts': () => `${head}.${body}`,
    'HS256 by the text of the public key': () => byHmac(JSON.stringify(publicKey)),
    'HS256 by the bytes of the public key': () => byHmac(Buffer.from(String(publicKey.x), 'base64url')),
    'HS256 by an empty key': () => byHmac(''),
    'signed by a key of one’s own under its kid': () => bySelf({}),
    'a kid of one’s own': () => bySelf({ kid: 'mine' }),
    'no kid': () => bySelf({ kid: undefined }),
    'a kid that is a path': () => bySelf({ kid: '../../dev/null' }),
    'the key in the token': () => bySelf({ jwk: ownJwk }),
    'the address of the key in the token': () => bySelf({ jku: 'http://127.0.0.1:9/jwks', x5u: 'http://127.0.0.1:9/' }),
    ES256: () => byOther('ES256', onCurve.privateKey),
    RS256: () => byOther('RS256', rsa.privateKey),
    'unknown crit': () => bySelf({ crit: ['b64'], b64: false }),
    'another subject': () => altered({ sub: other.userCode }),
    'another audience': () => altered({ aud: other.clientId, client_id: other.clientId }),
    'another issuer': () => altered({ iss: 'https://evil.example' }),
    'a later end': () => altered({ exp: now + 86_400 }),
    'one bit of the signature': () => `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    'padding behind it': () => `${token}==`,
    'signed by the service, expired': () => service({ exp: now - 10 }),
    'signed by the service, without an issuer': () => service({ iss: undefined }),
    'signed by the service, of another type': () => service({}, 'JWT'),
    'signed by the service, never given out': () => service({ jti: randomUUID() }),
    'signed by the service, without an end': () => service({ exp: undefined }),
    'genuine, of another application': () => other.token,
  };
}

async function realTargets(context: CampaignContext): Promise<Target[]> {
  const targets: Target[] = [];
  for (const { kind, url } of await bothDatabases(context)) {
    const server = await startTestServer(url);
    context.defer(() => server.close());
    const application = await server.application();
    const foreign = await server.application();
    const user = await makeSignedInUser(server, application);
    const stranger = await makeSignedInUser(server, foreign);
    const keys = new SigningKeys(server.service.storage.signingKeys, server.service.keyring, {
      now: Date.now,
      certain: Date.now,
      isTrusted: true,
    });
    await keys.load();
    const { json } = await server.send('GET', '/oauth/v2/jwks');
    const apiKey = { apiKey: application.clientId };
    const path = `/api/v2/app/${application.clientId}/users/${user.userCode}`;
    const is = async (status: number, answer: Promise<{ status: number }>) => (await answer).status === status;
    targets.push({
      name: kind,
      genuine: {
        token: user.accessToken,
        other: { token: stranger.accessToken, userCode: stranger.userCode, clientId: foreign.clientId },
        publicKey: (json.keys as Json[])[0] as Json,
        signAsService: (type, claims) => keys.signJwt(type, claims),
      },
      shown: [
        [
          'reading',
          (token) => is(200, server.send('GET', '/api/user_options', { headers: { ...apiKey, ...bearer(token) } })),
        ],
        [
          'saving',
          async (token) => {
            const body = {
              access_token: token,
              option_group_uid: randomUUID(),
              option_key_uid: randomUUID(),
              value: [1],
            };
            // If the token is accepted, the error is about the missing group.
            return (await server.post('/api/user_options', body, apiKey)).json.code !== '1007';
          },
        ],
        ['deleting', async (token) => !(await is(400, server.send('DELETE', path, { headers: bearer(token) })))],
        [
          'introspection',
          async (token) => {
            const form = { body: new URLSearchParams({ token }), headers: basic(application) };
            return (await server.send('POST', '/oauth/v2/introspect', form)).json.active !== false;
          },
        ],
      ],
    });
  }
  return targets;
}

async function trustingTarget(context: CampaignContext): Promise<Target> {
  const server = await startTrustingServer();
  context.defer(() => server.close());
  const claims = { sub: randomUUID(), aud: 'here', exp: Math.floor(Date.now() / 1000) + 600, jti: randomUUID() };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signAsService = (typ: string, payload: Json) => {
    const text = `${encode({ alg: 'EdDSA', kid: 'k', typ })}.${encode(payload)}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
  };
  const other = { ...claims, aud: 'there' };
  return {
    name: 'trusting',
    genuine: {
      token: signAsService('at+jwt', claims),
      other: { token: signAsService('at+jwt', other), userCode: other.sub, clientId: other.aud },
      publicKey: publicKey.export({ format: 'jwk' }) as Json,
      signAsService,
    },
    shown: [['reading', async (token) => (await fetch(server.url, { headers: bearer(token) })).status === 200]],
  };
}
