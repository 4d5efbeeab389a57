import { timingSafeEqual } from 'node:crypto';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Metrics } from '../../monitoring/metrics.ts';
import { Type } from '../../schema.ts';
import { type Problem, type Storage, StorageUnavailable } from '../../storage/port.ts';
import { isOwnAddress } from '../server/client-address.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const PING_LIMIT_MS = 2_000;
const Ok = Type.Object({ status: Type.Literal('ok') });
const Ready = Type.Object({
  status: Type.Enum(['ok', 'read-only'], {
    description:
      'read-only: writes fail because the disk is full, PostgreSQL accepts none, or another process has locked the database; reads still work',
  }),
  problems: Type.Optional(
    Type.Array(
      Type.Object({
        kind: Type.String({ description: 'stable, for alerts' }),
        message: Type.String({ description: 'what is wrong, then what to do' }),
      }),
    ),
  ),
});

const live = {
  operationId: 'getLiveness',
  summary: 'Check that the process is alive',
  tags: ['operations'],
  response: { 200: Ok },
  errors: [],
} satisfies RouteSchema;

const ready = {
  operationId: 'getReadiness',
  summary: 'Check that the service can serve',
  description:
    'Checks the database, its file and the clock; the message of a 503 says what is wrong. Also 503 while the process shuts down. While only writes fail (full disk, locked or read-only database) it is 200 with status `read-only`.',
  tags: ['operations'],
  response: { 200: Ready },
  errors: ['unavailable'],
} satisfies RouteSchema;

/** /livez: the process responds. /readyz: it can also serve requests; point load balancers at it. */
export function healthRoutes(
  app: Routes,
  { storage, problems: findProblems }: { storage: Storage; problems(): readonly Problem[] },
  isClosing: () => boolean,
): void {
  app.get('/livez', { schema: live, unlogged: true, underLoad: 'first' }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' as const };
  });

  app.get('/readyz', { schema: ready, unlogged: true, underLoad: 'first' }, async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isClosing()) throw new InnkeeperError('unavailable', { message: 'The service is shutting down.' });
    const problems = findProblems();
    // Before the ping, which fails for the same reason without naming it.
    const down = problems.find(({ effect }) => effect === 'down');
    if (down) throw new InnkeeperError('unavailable', { message: down.message });
    await Promise.race([storage.ping().catch(throwUnreachable), tooLong()]);
    const isReadOnly = problems.some(({ effect }) => effect === 'read-only');
    return {
      status: isReadOnly ? ('read-only' as const) : ('ok' as const),
      ...(problems.length > 0 && { problems: problems.map(({ kind, message }) => ({ kind, message })) }),
    };
  });
}

/** The original message may contain an address, so it only goes to the log. */
function throwUnreachable(error: unknown): never {
  if (!(error instanceof StorageUnavailable)) throw error;
  throw new InnkeeperError('unavailable', { message: 'The database is unreachable.' });
}

async function tooLong(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, PING_LIMIT_MS).unref());
  throw new InnkeeperError('unavailable', {
    message: `The database did not respond within ${PING_LIMIT_MS / 1000} s.`,
  });
}

const schema = {
  operationId: 'getMetrics',
  summary: 'Get metrics in Prometheus format',
  description: 'From the same machine, or with INNKEEPER_METRICS_TOKEN as Bearer.',
  tags: ['operations'],
  security: [{}, { metricsToken: [] }],
  produces: 'text/plain',
  response: { 200: Type.String({ description: 'Prometheus text format' }) },
  errors: ['unauthorized', 'tooManyFailures', 'unavailable'],
} satisfies RouteSchema;

/** Open to the same machine, or with INNKEEPER_METRICS_TOKEN as Bearer. */
export function metricsRoute(app: Routes, metrics: Metrics, token: string | undefined): void {
  app.get('/metrics', { schema, unlogged: true, underLoad: 'first' }, async (request, reply) => {
    if (!hasToken(request, token) && !isLocal(request)) {
      throw new InnkeeperError('unauthorized', {
        message: 'Metrics require a local connection or INNKEEPER_METRICS_TOKEN as Bearer.',
      });
    }
    reply.header('cache-control', 'no-store').type('text/plain; version=0.0.4; charset=utf-8');
    return metrics.text();
  });
}

/** Headers that proxies add. A proxy on this machine also connects from it, so a forwarded request is not local. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

function isLocal(request: HttpRequest): boolean {
  return FORWARDED.every((name) => request.headers[name] === undefined) && isOwnAddress(request.address);
}

function hasToken({ headers }: HttpRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const expected = Buffer.from(token);
  const { authorization = '' } = headers;
  const presented = Buffer.from(
    /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trimStart() : '',
  );
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}
