import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createApplication, type NewApplication } from '../../src/domain/applications/application.ts';
import { checkSecret } from '../../src/domain/check-secret.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { createManageToken } from '../../src/domain/manage/authorize-manager.ts';
import { storageDriver } from '../../src/storage/open.ts';
import { sqlite } from '../databases.ts';
import { type Received, type Receiver, startReceiver } from '../events/receiver.ts';
import { SECRET } from '../http/start.ts';
import { problemsWith } from '../otlp/problems-with.ts';
import { endAll, type ServeProcess, serve } from './serve-process.ts';

type Value = { stringValue?: string; intValue?: number };
type Attribute = { key: string; value: Value };
type SentSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
};
type Point = { attributes: Attribute[]; count?: string | number };
type SentMetric = { name: string; unit: string; histogram?: { dataPoints: Point[] } };

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SERVER = 2;
const CLIENT = 3;

let collector: Receiver;
/** Also the token service. */
let peer: Receiver;
let server: ServeProcess;
let application: NewApplication;
let manageToken: string;
let url: string;

beforeAll(async () => {
  [collector, peer, url] = await Promise.all([
    startReceiver({ answer: () => 200 }),
    startReceiver({ answer: () => 404 }),
    sqlite.fresh(),
  ]);
  const storage = await (await storageDriver(url)).open();
  const keyring = createKeyring(SECRET);
  await checkSecret(storage, keyring);
  application = await createApplication(storage, keyring, 'Test', Date.now());
  const wanted = { name: 'tests', accountId: null, appIds: null, access: 'own', lifetimeSeconds: 3600 } as const;
  manageToken = (await createManageToken(storage, keyring, wanted, Date.now()))?.token ?? '';
  await storage.close();
  server = await start({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests' });
});
afterAll(async () => {
  await endAll();
  await Promise.all([collector.close(), peer.close()]);
});

const start = (env: NodeJS.ProcessEnv): Promise<ServeProcess> =>
  serve({
    settings: {
      ...{ databaseUrl: url, secret: SECRET, webhooksAllow: '127.0.0.1' },
      ...{
        tokenServiceUrl: peer.url,
        tokenServiceClientId: 'innkeeper',
        tokenServiceClientSecret: 'secret of a client',
      },
    },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      ...env,
    },
  });

const traceparent = (flags = '01', traceId = TRACE) => ({ traceparent: `00-${traceId}-${PARENT}-${flags}` });
const post = (path: string, body: object, headers: Record<string, string> = {}, at = server) =>
  fetch(at.url + path, { method: 'POST', body: JSON.stringify(body), headers });
const createUser = (headers: Record<string, string>, at = server) =>
  post(
    '/api/v2/app/create-user',
    { ...application, clientUserId: crypto.randomUUID(), clientUserName: 'Ada' },
    headers,
    at,
  );

const bodies = (path: string) =>
  collector.received
    .filter((each) => each.path === path)
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);
type Resources = {
  resource: { attributes: Attribute[] };
  scopeSpans: { spans: SentSpan[] }[];
  scopeMetrics: { metrics: SentMetric[] }[];
}[];
const spans = (): SentSpan[] =>
  bodies('/v1/traces').flatMap(({ resourceSpans }) =>
    (resourceSpans as Resources).flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)),
  );
const attributesOf = ({ attributes }: { attributes: Attribute[] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
/** Resolves when a matching span has arrived. */
const findSpan = (isIt: (span: SentSpan) => boolean): Promise<SentSpan> =>
  vi.waitFor(
    () => {
      const found = spans().find(isIt);
      if (!found) throw new Error(`no such span among ${spans().map(({ name }) => name)}`);
      return found;
    },
    { timeout: 30_000, interval: 20 },
  );
const sentTo = (isIt: (received: Received) => boolean) => peer.received.find(isIt)?.headers.traceparent as string;

test('a request continues the trace of its caller, in spans, in the log and at the token service', async () => {
  const created = (await (await createUser(traceparent())).json()) as { specialToken: string };
  const span = await findSpan(({ name }) => name === 'POST /api/v2/app/create-user');
  expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: SERVER });
  expect(attributesOf(span)).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v2/app/create-user',
    'http.response.status_code': 200,
    'url.path': '/api/v2/app/create-user',
    'url.scheme': 'http',
  });
  const line = await vi.waitFor(() => {
    const found = server.logs().find(({ route }) => route === '/api/v2/app/create-user');
    expect(found).toBeDefined();
    return found;
  });
  expect(line).toMatchObject({ trace_id: TRACE, span_id: span.spanId });

  const { clientSecret } = application;
  const refused = await post(
    '/oauth/v2/get-access-token',
    { clientSecret, specialToken: created.specialToken },
    traceparent(),
  );
  expect(refused.status).toBe(400);
  const exchange = await findSpan(({ name }) => name === 'POST /oauth/v2/get-access-token');
  const call = await findSpan(({ kind, traceId }) => kind === CLIENT && traceId === TRACE);
  expect(call.parentSpanId).toBe(exchange.spanId);
  expect(attributesOf(call)).toMatchObject({ 'server.address': '127.0.0.1', 'server.port': peer.port });
  expect(attributesOf(exchange)['innkeeper.error_code']).toMatch(/^000[29]$/);
  expect(sentTo(({ path }) => path.includes('.well-known'))).toBe(`00-${TRACE}-${call.spanId}-01`);
});

test('webhooks carry a traceparent, of the request that causes them or their own', async () => {
  const manage = { authorization: `Bearer ${manageToken}` };
  const hooks = `/manage/v1/applications/${application.clientId}/webhooks`;
  const creating = { ...manage, ...traceparent('01', TRACE.replace('0af', '5af')) };
  const hook = (await (await post(hooks, { url: `${peer.url}/hook` }, creating)).json()) as { webhookId: string };
  const traceId = TRACE.replace('0af', '1af');
  await post(`${hooks}/${hook.webhookId}/test`, {}, { ...manage, ...traceparent('01', traceId) });
  const call = await findSpan((each) => each.kind === CLIENT && each.traceId === traceId);
  expect(sentTo(({ headers }) => headers.traceparent?.includes(traceId) ?? false)).toBe(
    `00-${traceId}-${call.spanId}-01`,
  );
  expect(attributesOf(call)).toMatchObject({ 'url.full': `${peer.url}/hook`, 'http.response.status_code': 404 });

  await createUser({});
  const isEvent = (each: Received) => each.path === '/hook' && !each.headers.traceparent?.includes(traceId);
  await vi.waitFor(() => expect(sentTo(isEvent)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/), { timeout: 30_000 });
  // Deliveries belong to neither the request that created the user nor the one that created the webhook.
  expect(sentTo(isEvent)).not.toContain(TRACE.slice(3));
});

test('metrics follow the semantic conventions, and everything sent is valid OTLP', async () => {
  await createUser({});
  const histogram = () =>
    bodies('/v1/metrics')
      .flatMap(({ resourceMetrics }) => resourceMetrics as Resources)
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
      .findLast(({ name }) => name === 'http.server.request.duration');
  const point = await vi.waitFor(
    () => {
      const found = histogram()?.histogram?.dataPoints.find(
        (each) => attributesOf(each)['http.route'] === '/api/v2/app/create-user',
      );
      expect(Number(found?.count)).toBeGreaterThan(0);
      return found as Point;
    },
    { timeout: 30_000, interval: 20 },
  );
  expect(histogram()?.unit).toBe('s');
  expect(attributesOf(point)).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v2/app/create-user',
    'http.response.status_code': 200,
    'url.scheme': 'http',
  });
  const resources = bodies('/v1/metrics').flatMap(({ resourceMetrics }) => resourceMetrics as Resources);
  expect(resources.map(({ resource }) => attributesOf(resource))[0]).toMatchObject({
    'service.name': 'innkeeper',
    'deployment.environment.name': 'tests',
  });
  expect(bodies('/v1/traces').flatMap((each) => problemsWith('TracesData', each))).toEqual([]);
  expect(bodies('/v1/metrics').flatMap((each) => problemsWith('MetricsData', each))).toEqual([]);
  // The check itself detects problems.
  expect(
    problemsWith('TracesData', { resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 'x', nome: 1 }] }] }] }),
  ).toHaveLength(2);
});

test('unsampled traces are not sent, and called services know', async () => {
  const traceId = TRACE.replace('0af', '2af');
  const manage = { authorization: `Bearer ${manageToken}` };
  const hooks = `/manage/v1/applications/${application.clientId}/webhooks`;
  const hook = (await (await post(hooks, { url: `${peer.url}/hook` }, manage)).json()) as { webhookId: string };
  await post(`${hooks}/${hook.webhookId}/test`, {}, { ...manage, ...traceparent('00', traceId) });
  expect(sentTo(({ headers }) => String(headers.traceparent).includes(traceId))).toMatch(/-00$/);
  const marker = TRACE.replace('0af', '3af');
  await createUser(traceparent('01', marker));
  await findSpan((each) => each.traceId === marker);
  expect(spans().filter((each) => each.traceId === traceId)).toEqual([]);

  // With a ratio, the caller's sampling flag is ignored.
  const none = await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  const unwanted = TRACE.replace('0af', '4af');
  const created = await createUser(traceparent('01', unwanted), none);
  // A request without a trace also tells the services it calls not to sample.
  const { specialToken } = (await created.json()) as { specialToken: string };
  const earlier = peer.received.length;
  await post('/oauth/v2/get-access-token', { clientSecret: application.clientSecret, specialToken }, {}, none);
  expect(peer.received.slice(earlier).map(({ headers }) => headers.traceparent)).toContainEqual(
    expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
  );
  none.signal('SIGTERM');
  expect(await none.exited).toMatchObject({ code: 0 });
  expect(spans().filter((each) => each.traceId === unwanted)).toEqual([]);
});

test('without a collector, or with an unreachable one, the service works', async () => {
  const away = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  expect((await createUser({}, away)).status).toBe(200);
  await vi.waitFor(
    () => expect(away.logs().some(({ msg }) => String(msg).includes('OpenTelemetry collector'))).toBe(true),
    { timeout: 30_000, interval: 50 },
  );
  away.signal('SIGTERM');
  expect(await away.exited).toMatchObject({ code: 0 });

  const telemetry = (env: NodeJS.ProcessEnv) => readConfig({ databaseUrl: url, secret: SECRET }, { env }).telemetry;
  const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  expect(telemetry({})).toBeUndefined();
  expect(telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toMatchObject({
    traces: false,
    metrics: true,
  });
  expect(telemetry({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url })).toMatchObject({
    traces: true,
    metrics: false,
  });
});
