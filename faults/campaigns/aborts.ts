import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonRequest, request } from '../../bench/request.ts';
import { bearer, uniqueName } from '../../packages/server/test/http/start.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { checkUser } from '../check-user.ts';
import { Client, openPlace, type Place, type TestUser } from '../client.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';

const AT_ONCE = 20;
/** Clients that do not abort: what was acknowledged to them must hold. */
const BYSTANDERS = 4;
const GIVE_UP_MS = 2_000;

/** Where in a request its connection is reset: the bytes sent before, and whether the response has begun. */
const STAGES = ['in the head', 'in the body', 'right after sending', 'during the response'] as const;

/** A process that must survive. */
type Target = { port: number; hasEnded(): boolean };
type Kind = { name: string; make(): string };

export const aborts: Campaign = {
  name: 'aborts',
  title:
    'connections reset in headers, body, right after sending (0 to 4 ms) and during the response, for every kind of request, half of them behind a trusted proxy, on SQLite',
  promise: 'the process keeps running; no user is incomplete',
  operatorSees: 'nothing: no error, no log line',
  unit: 'aborts',
  times: { short: 400, full: 4_000 },
  async run(context) {
    for (const trustedProxies of ['', '127.0.0.1']) await onService(context, context.times / 2, trustedProxies);
  },
  control: {
    what: 'a server that reads the address of the socket after the response',
    times: 60,
    async run(context) {
      const child = fork(join(import.meta.dirname, '../controls/late-address.ts'), { silent: true });
      context.defer(() => child.kill());
      const [port] = (await once(child, 'message')) as [number];
      const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
      await abortAll(context, context.times, { port, hasEnded }, [
        { name: 'GET', make: () => request('GET', '/', {}) },
      ]);
    },
  },
};

async function onService(context: CampaignContext, times: number, trustedProxies: string): Promise<void> {
  const databaseUrl = `sqlite:${join(context.folder, `${trustedProxies || 'direct'}.db`)}`;
  const application = await setStage(databaseUrl);
  const server = await serve({ settings: { ...SETTINGS, databaseUrl, ...(trustedProxies && { trustedProxies }) } });
  let ended = false;
  void server.exited.then(() => (ended = true));
  context.defer(() => end(server));
  const place = await openPlace(server.url, application);
  const client = new Client(place);
  context.defer(() => client.close());
  const load = startLoad(place, { clients: BYSTANDERS, stayMs: 50 });
  context.defer(() => load.close());
  load.resume();
  const aborted: TestUser[] = [];
  await abortAll(context, times, { port: server.port, hasEnded: () => ended }, await kindsOf(place, client, aborted));
  await load.pause();
  if (ended) return context.lose(`the process has ended: ${server.stderr().slice(0, 200)}`);
  for (const loss of [...(await checkAll(load)), ...load.unexpected]) context.lose(loss);
  for (const testUser of aborted) for (const loss of await checkUser(client, testUser)) context.lose(loss);
  const { acknowledged } = load.counts();
  context.report(
    `${trustedProxies === '' ? 'direct' : 'proxied'}: ${aborted.length} creates aborted, ${acknowledged} acts of others acknowledged`,
  );
}

async function kindsOf({ application, group, keys }: Place, client: Client, aborted: TestUser[]): Promise<Kind[]> {
  const { clientId, clientSecret } = application;
  const forwarded = { 'X-Forwarded-For': '203.0.113.9' };
  const testUser = await client.create();
  await client.exchange(testUser);
  const apiKey = { apiKey: clientId, ...forwarded };
  const mine = { ...apiKey, ...bearer(testUser.accessToken ?? '') };
  const user = (clientUserId: string) => ({ clientId, clientSecret, clientUserId, clientUserName: 'Ada' });
  const post = (path: string, body: object, headers: Record<string, string> = forwarded): string =>
    jsonRequest('POST', path, headers, body);
  return [
    {
      name: 'create-user',
      make() {
        const name = uniqueName();
        aborted.push({ name, exists: 'perhaps', selections: new Map() });
        return post('/api/v2/app/create-user', user(name));
      },
    },
    { name: 'special-token', make: () => post('/api/v2/app/special-token', user(testUser.name)) },
    {
      name: 'get-access-token',
      make: () => post('/oauth/v2/get-access-token', { clientSecret, specialToken: 'none' }),
    },
    {
      name: 'save',
      make: () =>
        post(
          '/api/user_options',
          { user_uid: testUser.code, option_group_uid: group, option_key_uid: keys[0], value: ['none'] },
          apiKey,
        ),
    },
    { name: 'read', make: () => request('GET', '/api/user_options', mine) },
    { name: 'catalog', make: () => request('GET', '/api/option_keys', apiKey) },
    { name: 'manage', make: () => request('GET', '/manage/v1/applications', { ...forwarded, ...bearer('ikp_none') }) },
    { name: 'sign-in', make: () => post('/manage/v1/session', { email: 'nobody@example.com', password: 'none' }) },
    { name: 'document', make: () => request('GET', '/openapi.json', forwarded) },
    { name: 'probe', make: () => request('GET', '/readyz', forwarded) },
    { name: 'unknown', make: () => post('/nowhere', {}) },
    { name: 'connect', make: () => 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n' },
    { name: 'malformed', make: () => `GET / HTTP/9.9\r\nX: ${'x'.repeat(100)}\r\n\r\n` },
  ];
}

async function abortAll(context: CampaignContext, times: number, target: Target, kinds: Kind[]): Promise<void> {
  for (let from = 0; from < times; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, times - from) }, (_, index) => from + index);
    await Promise.all(
      batch.map((index) =>
        context.attempt(async (lose) => {
          const kind = kinds[index % kinds.length] as Kind;
          const stage = STAGES[Math.floor(index / kinds.length) % STAGES.length] as (typeof STAGES)[number];
          if (!target.hasEnded()) await abort(target.port, kind.make(), stage, index % 5);
          await sleep(5);
          if (target.hasEnded()) lose(`the process has ended (${kind.name}, ${stage})`);
        }),
      ),
    );
  }
}

async function abort(port: number, text: string, stage: (typeof STAGES)[number], ms: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = once(socket, 'close').catch(() => {});
  try {
    await once(socket, 'connect');
    const head = text.indexOf('\r\n\r\n') + 4;
    const until = { 'in the head': head - 6, 'in the body': head + Math.floor((text.length - head) / 2) }[
      stage as string
    ];
    socket.write(text.slice(0, until ?? text.length));
    if (stage === 'during the response') await Promise.race([once(socket, 'data'), closed, sleep(GIVE_UP_MS)]);
    else await sleep(ms);
  } catch {
    // Nobody is listening any more: the caller sees why.
  }
  socket.resetAndDestroy();
  await closed;
}
