import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopback } from '../../config.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Metrics } from '../metrics.ts';

const schema = { summary: 'Metrics for Prometheus', tags: ['operations'] };

/** From the same machine, or with INNKEEPER_METRICS_TOKEN as Bearer. */
export function metricsRoute(app: FastifyInstance, metrics: Metrics, token: string | undefined): void {
  app.get('/metrics', { schema, logLevel: 'warn' }, async (request, reply) => {
    if (!hasToken(request, token) && !isLocal(request)) {
      throw new InnkeeperError('unauthorized', {
        message: 'Metrics are open to the same machine, or with INNKEEPER_METRICS_TOKEN as Bearer.',
      });
    }
    reply.header('cache-control', 'no-store').type('text/plain; version=0.0.4; charset=utf-8');
    return metrics.text();
  });
}

/** What proxies add. One on this machine also connects from it: a forwarded request is not local. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

function isLocal({ headers, socket }: FastifyRequest): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}

function hasToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) return false;
  const expected = Buffer.from(`Bearer ${token}`);
  const presented = Buffer.from(headers.authorization ?? '');
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}
