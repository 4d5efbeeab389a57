import { ROOT_CONTEXT } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { readConfig, type SamplerConfig } from '../../src/config.ts';
import { createTracer, type EndedSpan } from '../../src/monitoring/tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const ALWAYS = { isParentBased: true, ratio: 1 };

function serve(headers: Record<string, string>, sampler: SamplerConfig = ALWAYS) {
  const ended: EndedSpan[] = [];
  const span = createTracer(sampler, (each) => ended.push(each)).serve({
    method: 'GET',
    url: '/',
    route: undefined,
    headers,
  });
  const call = span?.call('GET', 'http://127.0.0.1/');
  call?.end({ status: 200 });
  span?.end({ status: 200 });
  return { recorded: ended.at(-1), called: call?.headers };
}

test('by ratio, exactly the traces are recorded that the SDK would record', () => {
  const sampler = { isParentBased: false, ratio: 0.3 };
  const sdk = new TraceIdRatioBasedSampler(sampler.ratio);
  const isTaken = (traceId: string) => sdk.shouldSample(ROOT_CONTEXT, traceId).decision !== SamplingDecision.NOT_RECORD;
  for (let each = 0; each < 500; each++) {
    const traceId = crypto.randomUUID().replaceAll('-', '');
    const { recorded } = serve({ traceparent: `00-${traceId}-${PARENT}-01` }, sampler);
    expect(recorded !== undefined, traceId).toBe(isTaken(traceId));
  }
  const begun = Array.from({ length: 500 }, () => serve({}, sampler).recorded?.traceId ?? []).flat();
  expect(begun.length).toBeGreaterThan(0);
  expect(begun.length).toBeLessThan(500);
  expect(begun.filter((traceId) => !isTaken(traceId))).toEqual([]);
});

test.each([
  ['', { isParentBased: true, ratio: 1 }],
  ['always_on', { isParentBased: false, ratio: 1 }],
  ['always_off', { isParentBased: false, ratio: 0 }],
  ['traceidratio', { isParentBased: false, ratio: 0.25 }],
  ['parentbased_always_off', { isParentBased: true, ratio: 0 }],
  ['parentbased_traceidratio', { isParentBased: true, ratio: 0.25 }],
  ['sometimes', { isParentBased: true, ratio: 1 }],
])('OTEL_TRACES_SAMPLER=%s', (OTEL_TRACES_SAMPLER, sampler) => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const env = { ...collector, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: '0.25' };
  expect(
    readConfig({ databaseUrl: 'sqlite:innkeeper.db', secret: 's'.repeat(64) }, { env }).telemetry?.sampler,
  ).toEqual(sampler);
});

test('an endpoint that is no http URL is refused, without repeating it, unless it is not used', () => {
  const telemetry = (env: NodeJS.ProcessEnv) =>
    readConfig({ databaseUrl: 'sqlite:innkeeper.db', secret: 's'.repeat(64) }, { env }).telemetry;
  const invalid = (name: string) =>
    new RegExp(`^${name} is invalid: it must be an http\\(s\\) URL, for example http://127.0.0.1:4318\\.$`);
  for (const OTEL_EXPORTER_OTLP_ENDPOINT of ['foo', 'collector:4318', 'grpc://u:secret@collector:4317'])
    expect(() => telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT })).toThrow(invalid('OTEL_EXPORTER_OTLP_ENDPOINT'));
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
  const OTEL_EXPORTER_OTLP_METRICS_ENDPOINT = 'foo';
  expect(() => telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT })).toThrow(
    invalid('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
  );
  expect(telemetry({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, OTEL_METRICS_EXPORTER: 'none' })).toBeUndefined();
  expect(telemetry({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
});

test('a caller decides by traceparent, if it is valid', () => {
  const tracestate = 'vendor=1';
  const { recorded, called } = serve({ traceparent: `00-${TRACE}-${PARENT}-03`, tracestate }, { ...ALWAYS, ratio: 0 });
  expect(recorded).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, traceState: tracestate });
  expect(called).toEqual({ traceparent: expect.stringMatching(`^00-${TRACE}-[0-9a-f]{16}-01$`), tracestate });

  const unsampled = serve({ traceparent: `00-${TRACE}-${PARENT}-02`, tracestate });
  expect(unsampled.recorded).toBeUndefined();
  expect(unsampled.called).toEqual({ traceparent: expect.stringMatching(`^00-${TRACE}-[0-9a-f]{16}-00$`), tracestate });

  expect(serve({ traceparent: `01-${TRACE}-${PARENT}-01-later` }).recorded?.traceId).toBe(TRACE);
  const invalid = [
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}`,
  ];
  for (const traceparent of invalid) {
    const { recorded: own } = serve({ traceparent });
    expect(own?.traceId, traceparent).toMatch(/^(?!0af7)[0-9a-f]{32}$/);
    expect(own?.parentSpanId).toBeUndefined();
  }
});
