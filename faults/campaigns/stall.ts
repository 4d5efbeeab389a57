import { setTimeout as sleep } from 'node:timers/promises';
import { renderOpenapiDoc } from '../../packages/server/scripts/write-openapi.ts';
import { fillDemo } from '../../packages/server/src/demo/make-demo.ts';
import type { NewApplication } from '../../packages/server/src/domain/applications/application.ts';
import { ACCESS } from '../../packages/server/src/domain/manage/access.ts';
import type { OpenApiDocument } from '../../packages/server/src/http/docs/describe-api.ts';
import { withoutReferences } from '../../packages/server/test/http/documented-answers.ts';
import { basic, bearer, startTestServer, type TestServer } from '../../packages/server/test/http/start.ts';
import { editor, manageWith } from '../../packages/server/test/manage/manage.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { sqliteIn } from '../databases.ts';
import {
  COSTLY_PATTERN,
  type HostileRequest,
  listHostile,
  listLarge,
  type Stage,
  standIns,
} from '../hostile-requests.ts';
import { LARGE_CATALOGS } from '../large-catalogs.ts';
import { end } from '../race-field.ts';
import { SETTINGS } from '../stage.ts';
import { watchStalls } from '../watch-stalls.ts';
import { worst } from '../worst.ts';

const MAX_MS = 100;
const SPLIT_ENCODINGS = new URL('../controls/split-encodings.ts', import.meta.url).href;

export const stall: Campaign = {
  name: 'stall',
  title:
    'hostile content of maximum size in every header, parameter, text and upload, by a stranger, an end user, the application and each role, on SQLite',
  promise: `no probe of /livez waits for more than ${MAX_MS} ms of processor time of the HTTP thread`,
  operatorSees: 'flat `nodejs_eventloop_lag_p99_seconds`; 400, 413 and 422; 503 (9503) for work over its time limit',
  unit: 'requests',
  times: { short: 400, full: 28_000 },
  run: (context) => run(context, [], () => true),
  control: {
    what: 'a service that splits Accept-Encoding by /\\s*;\\s*/',
    times: 4,
    run: (context) =>
      run(context, ['--import', SPLIT_ENCODINGS], ({ title }) => title.startsWith('accept-encoding of  ')),
  },
};

type Caller = { who: string; headers: Record<string, string> };

async function run(
  context: CampaignContext,
  nodeArgs: string[],
  isWanted: (request: HostileRequest) => boolean,
): Promise<void> {
  const databaseUrl = sqliteIn(context.folder);
  const { callers, owner, stage, large } = await prepare(databaseUrl);
  const server = await serve({ settings: { ...SETTINGS, databaseUrl, trustedProxies: '127.0.0.1' }, nodeArgs });
  context.defer(() => end(server));
  const watch = watchStalls(server.url, server.pid);
  context.defer(() => watch.stop());
  const document = withoutReferences(JSON.parse(await renderOpenapiDoc()) as OpenApiDocument);
  const all = listHostile(document)
    .filter(isWanted)
    .flatMap((request) => callers.map((caller) => ({ request, caller })));
  // Everything for the largest catalogs, in order; the others evenly: each kind, and each caller.
  const ofLarge = large.flatMap(({ name, catalog, clientId }) =>
    listLarge(name, catalog)
      .filter(isWanted)
      .map((request) => ({ request, caller: owner, stage: { ...stage, clientId } })),
  );
  const others = context.times - ofLarge.length;
  const chosen = [
    ...ofLarge,
    ...Array.from({ length: others }, (_, at) => all[Math.floor((at * all.length) / others)]).flatMap((one) =>
      one ? [{ ...one, stage }] : [],
    ),
  ];
  await sleep(1_000);
  await watch.probes();
  const stalls: number[] = [];
  const statuses = new Map<string, number>();
  for (const [at, { request, caller, stage }] of chosen.entries()) {
    await context.attempt(async (lose) => {
      // From another address each time, so that none is throttled.
      const from = { 'x-forwarded-for': `203.0.${at >> 8}.${at & 255}` };
      const status = await send(server.url, request, { ...caller, headers: { ...from, ...caller.headers } }, stage);
      const kind = status === undefined ? 'cut off' : `${Math.floor(status / 100)}xx`;
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      const stalled = Math.max(0, ...(await watch.probes()).map(({ worked }) => worked));
      stalls.push(stalled);
      if (stalled > MAX_MS) lose(`${request.title} by ${caller.who}: ${Math.round(stalled)} ms`);
    });
  }
  const answered = [...statuses].sort().map(([kind, count]) => `${count} × ${kind}`);
  context.report(
    `${worst(stalls, 0)} ms of work while a probe waits; ${answered.join(', ')}; chosen from ${all.length} requests`,
  );
}

async function send(
  url: string,
  { method, path, headers, body }: HostileRequest,
  caller: Caller,
  stage: Stage,
): Promise<number | undefined> {
  const filled = (text: string) => standIns(stage).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const at = filled(path.replaceAll('{clientId}', stage.clientId).replace(/\{\w+\}/g, stage.userCode));
  const sent = { 'if-match': '*', ...caller.headers, ...headers };
  // Cut off or refused: both are fine here; what counts is how others are served.
  return await fetch(url + at, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(body !== undefined && method !== 'GET' && { body: body.length > 2_000_000 ? body : filled(body) }),
  })
    .then(async (response) => {
      await response.text();
      return response.status;
    })
    .catch(() => undefined);
}

type Prepared = {
  callers: Caller[];
  owner: Caller;
  stage: Stage;
  large: { name: string; catalog: object; clientId: string }[];
};

async function prepare(databaseUrl: string): Promise<Prepared> {
  const server = await startTestServer(databaseUrl, { publicUrl: SETTINGS.publicUrl });
  try {
    const application = await server.application();
    const { clientId, clientSecret, appId } = application;
    const { ada: userCode, theme } = await fillDemo(
      server.service.storage,
      server.service.keyring,
      application,
      Date.now(),
    );
    const pattern = await addPattern(server, application);
    const large = await Promise.all(
      Object.entries(LARGE_CATALOGS).map(async ([name, catalog]) => {
        const { application } = await editor(server, catalog);
        return { name, catalog, clientId: application.clientId };
      }),
    );
    const named = { clientId, clientSecret, clientUserId: 'ada@example.com' };
    const { specialToken } = (await server.post('/api/v2/app/special-token', named)).json;
    const granted = await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    const accessToken = String(granted.json.access_token);
    const roles = await Promise.all(
      ACCESS.map(async (access) => ({
        who: `a token for ${access}`,
        headers: bearer((await manageWith(server, { appIds: [appId], access })).token),
      })),
    );
    return {
      owner: { who: 'an owner', headers: bearer((await manageWith(server)).token) },
      large,
      stage: { clientId, clientSecret, userCode, accessToken, ...theme, pattern },
      callers: [
        { who: 'a stranger', headers: {} },
        { who: 'a stranger with the apiKey', headers: { apikey: clientId } },
        { who: 'an end user', headers: { apikey: clientId, ...bearer(accessToken) } },
        { who: 'the application', headers: { apikey: clientId, ...basic(application) } },
        ...roles,
      ],
    };
  } finally {
    await server.close();
  }
}

/** A key with the most expensive pattern allowed, which saves are checked against. */
async function addPattern(server: TestServer, { clientId }: NewApplication): Promise<Stage['pattern']> {
  const manage = await manageWith(server);
  const path = `/applications/${clientId}/catalog`;
  const key = {
    ...{ name: 'costly', type: 'string', multiple: true },
    constraint: { pattern: COSTLY_PATTERN, max_length: 800 },
  };
  const made = await manage.send('POST', `${path}/groups`, { name: 'patterns', keys: [key] }, { 'if-match': '*' });
  if (made.status !== 201) throw new Error(made.text);
  const groupUid = String(made.json.groupUid);
  const tree = (await manage.get(`${path}/tree`)).json as {
    groups: { groupUid: string; keys: { keyUid: string }[] }[];
  };
  const [{ keyUid } = { keyUid: '' }] = tree.groups.find((group) => group.groupUid === groupUid)?.keys ?? [];
  return { groupUid, keyUid };
}
