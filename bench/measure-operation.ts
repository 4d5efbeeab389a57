import { type Conditions, compare } from './compare.ts';
import { type HttpServer, httpContestant } from './http-contestant.ts';
import { type Limit, startBareFastify, startBareHttp } from './limits/start-limit.ts';
import type { Operation } from './operation.ts';
import type { Others } from './others.ts';
import type { Row } from './results.ts';
import { type RawResponse, send } from './send.ts';
import type { Stage } from './stage.ts';

/** This many different requests are enough for servers that keep no state. */
const BARE_REQUESTS = 1_000;

/** One operation on every stage and on the limits, which return the same bytes as the first stage. */
export async function measureOperation(
  operation: Operation,
  stages: Map<string, Stage>,
  others: Others,
  conditions: Conditions,
): Promise<Row> {
  const { name: operationName, title } = operation;
  const limits: Limit[] = [];
  try {
    const servers: HttpServer[] = [];
    for (const [name, stage] of stages) servers.push(await onStage(name, stage, operation));
    const sample = await takeSample(servers[0], operation);
    for (const [name, start] of [['bare', startBareHttp] as const, ['fastify', startBareFastify] as const]) {
      if (name === 'fastify' && !operation.besideFastify) continue;
      const limit = await start(sample.request, sample.response);
      limits.push(limit);
      servers.push({ name, ...limit, once: false, requests: async () => sample.further });
    }
    const contestants = servers.map((server) => httpContestant(server, conditions));
    contestants.push(...(await others.of(operation)));
    return { operation: operationName, title, series: await compare(contestants, conditions) };
  } catch (error) {
    return {
      operation: operationName,
      title,
      series: [],
      void: error instanceof Error ? error.message : String(error),
    };
  } finally {
    for (const limit of limits) await limit.stop();
  }
}

/** A stage as a contestant for the operation. */
export async function onStage(name: string, stage: Stage, operation: Operation): Promise<HttpServer> {
  const { port, child } = stage.service;
  if (operation.once) {
    return { name, port, child, once: true, requests: (count) => operation.prepare(stage, count) };
  }
  const requests = await operation.prepare(stage, 1);
  return { name, port, child, once: false, requests: async () => requests };
}

type Sample = { request: string; response: RawResponse; further: string[] };

async function takeSample(server: HttpServer | undefined, { status }: Operation): Promise<Sample> {
  if (!server) throw new Error('no service to measure');
  const [request = '', ...further] = await server.requests(BARE_REQUESTS);
  const [response] = await send(server.port, [request]);
  if (response?.status !== status) throw new Error(`HTTP ${response?.status}, not ${status}: ${response?.body}`);
  return { request, response, further: further.length > 0 ? further.slice(0, BARE_REQUESTS) : [request] };
}
