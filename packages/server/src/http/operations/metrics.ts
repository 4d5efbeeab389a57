import { timingSafeEqual } from 'node:crypto';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Metrics } from '../../monitoring/metrics.ts';
import { Type } from '../../schema.ts';
import { isOwnAddress } from '../server/client-address.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const schema = {
  operationId: 'getMetrics',
  summary: 'Get metrics in Prometheus format',
  description: 'From the same machine, or with INNKEEPER_METRICS_TOKEN as Bearer.',
  tags: ['operations'],
  security: [{}, { metricsToken: [] }],
  produces: 'text/plain',
  response: { 200: Type.String({ description: 'Prometheus text format' }) },
  errors: ['unauthorized', 'tooManyFailures'],
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
