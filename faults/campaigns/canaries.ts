import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createSignInLink } from '../../packages/server/src/domain/accounts/links.ts';
import { hashPassword } from '../../packages/server/src/domain/accounts/password.ts';
import { makeSession } from '../../packages/server/src/domain/accounts/sign-in.ts';
import { createKeyring } from '../../packages/server/src/domain/keyring.ts';
import { createManageToken } from '../../packages/server/src/domain/manage/authorize-manager.ts';
import { environmentName, type SettingName } from '../../packages/server/src/service-settings.ts';
import { storageDriver } from '../../packages/server/src/storage/open.ts';
import { basic, bearer } from '../../packages/server/test/http/start.ts';
import { BIN, serve } from '../../packages/server/test/operations/serve-process.ts';
import { fromPortal, tokenOf } from '../../packages/server/test/portal/portal.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { bothDatabases } from '../databases.ts';
import { SETTINGS, setStage } from '../stage.ts';

const EMAIL = 'canary@example.com';
type Planted = { secrets: Record<string, string>; places: Record<string, string | Buffer> };

export const canaries: Campaign = {
  name: 'canaries',
  title:
    'secrets are used and sent to wrong places; then logs, metrics, errors, audit, request log and backup are searched',
  promise: 'no secret is found, in any encoding',
  operatorSees: '`[masked]` in place of the secret',
  unit: 'secrets',
  times: { short: 20, full: 20 },
  async run(context) {
    for (const database of await bothDatabases(context))
      await search(context, await plant(context, database.url), database.kind);
  },
  control: {
    what: 'a log that records bodies',
    times: 20,
    async run(context) {
      const secrets = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`secret ${at}`, random()]));
      const log = JSON.stringify({ body: Buffer.from(JSON.stringify(secrets)).toString('base64') });
      await search(context, { secrets, places: { log } }, 'control');
    },
  },
};

/** As generated: lower-case and capital letters and digits. */
function random(): string {
  const text = randomBytes(24).toString('base64url');
  return /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) ? text : random();
}

/** The secret itself, and its base64 forms at all three offsets. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((by) => {
    const text = Buffer.concat([Buffer.alloc(by), bytes]).toString('base64');
    return text.slice(by === 0 ? 0 : 4, -4);
  });
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...shifted];
}

async function search(context: CampaignContext, { secrets, places }: Planted, kind: string): Promise<void> {
  for (const [name, secret] of Object.entries(secrets)) {
    await context.attempt(async (lose) => {
      for (const [place, content] of Object.entries(places)) {
        if (formsOf(secret).some((form) => content.includes(form))) lose(`${kind}: ${name} in ${place}`);
      }
    });
  }
}

/** Every secret, used correctly and sent where it should not be. */
async function plant(context: CampaignContext, databaseUrl: string): Promise<Planted> {
  const application = await setStage(databaseUrl);
  const metricsToken = random();
  const settings = { ...SETTINGS, logLevel: 'trace', databaseUrl, metricsToken };
  const secrets: Record<string, string> = { INNKEEPER_SECRET: settings.secret, 'metrics token': metricsToken };
  secrets.clientSecret = application.clientSecret;
  await makeAccount(databaseUrl, secrets);

  const server = await serve({ settings });
  context.defer(async () => {
    server.signal('SIGTERM');
    await server.exited;
  });
  const errors: string[] = [];
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) errors.push(text);
    return {
      text,
      headers: response.headers,
      json: text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {},
    };
  };
  const { clientId, clientSecret } = application;
  secrets['idempotency key'] = random();
  const person = { clientId, clientSecret, clientUserId: 'canary', clientUserName: 'Canary' };
  const created = await ask('POST', '/api/v2/app/create-user', person, {
    'idempotency-key': secrets['idempotency key'],
  });
  secrets['spent special token'] = String(created.json.specialToken);
  const granted = await ask('POST', '/oauth/v2/get-access-token', {
    clientSecret,
    specialToken: created.json.specialToken,
  });
  secrets['access token'] = String(granted.json.access_token);
  const again = await ask('POST', '/api/v2/app/special-token', { clientId, clientSecret, clientUserId: 'canary' });
  secrets['special token'] = String(again.json.specialToken);
  const signIn = { email: EMAIL, password: secrets.password };
  const signedIn = await ask('POST', '/manage/v1/session', signIn, fromPortal);
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  secrets.session = cookie.split('=')[1] ?? '';
  const visitor = { ...fromPortal, cookie };
  const wanted = { name: 'canary', access: 'own', password: secrets.password };
  secrets['personal access token of an account'] = String(
    (await ask('POST', '/manage/v1/account/tokens', wanted, visitor)).json.token,
  );
  const totp = await ask('POST', '/manage/v1/account/totp', { password: secrets.password }, visitor);
  if (totp.json.secret) secrets['secret of the authenticator app'] = totp.json.secret;
  const manage = bearer(secrets['personal access token'] as string);
  const rotated = await ask('POST', `/manage/v1/applications/${clientId}/secrets`, { overlap: '1h' }, manage);
  if (rotated.json.clientSecret) secrets['rotated clientSecret'] = rotated.json.clientSecret;
  const invited = await ask(
    'POST',
    `/manage/v1/applications/${clientId}/invitations`,
    { email: 'b@example.com', role: 'viewer' },
    manage,
  );
  if (invited.json.link) secrets.invitation = tokenOf(invited.json.link);

  for (const secret of Object.values(secrets)) await misplace(ask, clientId, secret);
  // Mistyped secrets: almost correct ones are secrets too.
  for (let count = 0; Object.keys(secrets).length < 20; count++) {
    const wrong = random();
    secrets[`wrong secret ${count}`] = wrong;
    await misplace(ask, clientId, wrong);
  }
  // The request log and the statistics are written within a few seconds.
  await sleep(4_000);
  const read = async (path: string) => (await ask('GET', path, undefined, manage)).text;
  const file = join(context.folder, `${randomBytes(4).toString('hex')}.backup`);
  const env = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [environmentName(name as SettingName), value]),
  );
  await promisify(execFile)(process.execPath, [BIN, 'backup', file], { env: { PATH: process.env.PATH, ...env } });
  const backup = await readFile(file);
  const requests = JSON.parse(await read(`/manage/v1/applications/${clientId}/requests?limit=200`)) as {
    items: { requestUid: string }[];
  };
  const logged = await Promise.all(
    requests.items.map(({ requestUid }) => read(`/manage/v1/applications/${clientId}/requests/${requestUid}`)),
  );
  // A search for secrets proves nothing in empty places.
  if (!backup.includes(clientId) || logged.length < 50) throw new Error('the places to search are empty');
  return {
    secrets,
    places: {
      log: server.stdout() + server.stderr(),
      metrics: (await ask('GET', '/metrics', undefined, bearer(metricsToken))).text,
      errors: errors.join('\n'),
      audit:
        (await read(`/manage/v1/applications/${clientId}/audit?limit=200`)) +
        (await read('/manage/v1/audit?limit=200')),
      'request log': logged.join('\n'),
      backup,
    },
  };
}

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<unknown>;

/** In every part of a request, and under wrong names. */
async function misplace(ask: Ask, clientId: string, secret: string): Promise<void> {
  const apiKey = { apiKey: clientId };
  await ask('GET', `/api/option_keys?language=${secret}&apiKey=${secret}`, undefined, apiKey);
  await ask('GET', '/api/option_groups', undefined, { apiKey: secret });
  await ask('GET', `/api/option_keys/${secret}`, undefined, apiKey);
  await ask('GET', `/nowhere/${secret}`, undefined, apiKey);
  await ask('GET', '/api/user_options', undefined, { ...apiKey, ...bearer(secret) });
  await ask('GET', `/api/user_options?user_uid=${secret}`, undefined, {
    ...apiKey,
    ...basic({ clientId, clientSecret: secret }),
  });
  await ask(
    'POST',
    '/api/user_options',
    { access_token: secret, user_uid: secret, value: [secret], language: secret, [secret]: 1 },
    apiKey,
  );
  await ask('POST', '/api/v2/app/create-user', {
    clientId,
    clientSecret: secret.slice(1),
    clientUserId: secret,
    clientUserName: secret,
  });
  await ask('POST', '/api/v2/app/create-user', `{"clientSecret":"${secret}"`);
  await ask('POST', '/oauth/v2/get-access-token', { clientSecret: secret, specialToken: secret });
  await ask('DELETE', `/api/v2/app/${clientId}/users/${secret}`, undefined, basic({ clientId, clientSecret: secret }));
  await ask('GET', '/manage/v1/applications', undefined, bearer(secret));
  await ask('GET', '/metrics', undefined, { ...bearer(secret), 'x-forwarded-for': '203.0.113.1' });
}

async function makeAccount(databaseUrl: string, secrets: Record<string, string>): Promise<void> {
  const storage = await (await storageDriver(databaseUrl)).open();
  const keyring = createKeyring(SETTINGS.secret);
  const now = Date.now();
  try {
    secrets.password = random();
    const { link } = await createSignInLink(storage, keyring, { email: EMAIL, publicUrl: SETTINGS.publicUrl, now });
    secrets['sign-in link'] = tokenOf(link);
    const found = await storage.accounts.findByEmail(EMAIL);
    const { session } = makeSession(keyring, { userAgent: 'Canaries', authMethod: 'link', now });
    await storage.sessions.openByLink(keyring.hashLink(secrets['sign-in link']), now, session);
    const accountId = found?.account.accountId as string;
    await storage.accounts.setPassword(accountId, await hashPassword(secrets.password), session.sessionId);
    const wanted = { name: 'canary', accountId: null, appIds: null, access: 'own' as const, lifetimeSeconds: 3600 };
    const made = await createManageToken(storage, keyring, wanted, now);
    secrets['personal access token'] = made?.token as string;
  } finally {
    await storage.close();
  }
}
