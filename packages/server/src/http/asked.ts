import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WireText } from './wire-text.ts';

/**
 * What the busiest routes, the errors and the logs use of a request. Fastify's own has all of it, and so has that of
 * the quick lane (quick-lane.ts).
 */
export type Asked = Pick<
  FastifyRequest,
  'about' | 'body' | 'headers' | 'id' | 'ip' | 'log' | 'method' | 'params' | 'query' | 'socket' | 'url'
> & {
  readonly routeOptions: Pick<FastifyRequest['routeOptions'], 'bodyLimit' | 'config' | 'logLevel' | 'schema' | 'url'>;
};

/** The same of its answer. */
export type Answering = Pick<FastifyReply, 'elapsedTime' | 'errorCode' | 'getHeader' | 'statusCode'> & {
  readonly request: Asked;
  readonly server: Pick<FastifyInstance, 'guideUrl'>;
  code(status: number): Answering;
  header(name: string, value: string): Answering;
  headers(values: Record<string, string>): Answering;
  type(contentType: string): Answering;
  send(payload?: unknown): Answering;
  sendWire(body: WireText): Answering;
};

/** Answers what is to be sent, or sends it itself. */
export type Handler = (request: Asked, reply: Answering) => Promise<unknown>;
