import { type Conditions, type Contestant, compare, type Series } from './compare.ts';
import { type Limit, startBareFastify, startBareHttp } from './limits/start-limit.ts';
import type { Operation } from './operation.ts';
import { send } from './send.ts';
import type { Stage } from './stage.ts';

export type Row = { operation: string; title: string; series: Series[]; void?: string };

export type Field = {
  /** By what they are called in the table. */
  stages: Map<string, Stage>;
  /** Whether a bare Fastify route runs beside the bare server. */
  withFastify: boolean;
};

/** One operation on every stage and on the limits, which answer the bytes that the first stage answered. */
export async function measureOperation(operation: Operation, field: Field, conditions: Conditions): Promise<Row> {
  const { name, title, once } = operation;
  const limits: Limit[] = [];
  try {
    const contestants: Contestant[] = [];
    for (const [called, stage] of field.stages) contestants.push(await onStage(called, stage, operation));
    const [first] = contestants;
    if (!first) throw new Error('there is nothing to measure');
    const [request = ''] = await first.requests(1);
    const answer = await firstAnswer(first, request, operation);
    const again = once ? await first.requests(1_000) : await first.requests(1);
    for (const [called, start] of [
      ['bare', startBareHttp],
      ...(field.withFastify ? ([['fastify', startBareFastify]] as const) : []),
    ] as const) {
      const limit = await start(request, answer);
      limits.push(limit);
      contestants.push({ name: called, ...limit, once: false, requests: async () => again });
    }
    return { operation: name, title, series: await compare(contestants, conditions) };
  } catch (error) {
    return { operation: name, title, series: [], void: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const limit of limits) await limit.stop();
  }
}

async function onStage(name: string, stage: Stage, operation: Operation): Promise<Contestant> {
  const { port, child } = stage.service;
  if (operation.once) {
    return { name, port, child, once: true, requests: (count) => operation.prepare(stage, count) };
  }
  const requests = await operation.prepare(stage, 1);
  return { name, port, child, once: false, requests: async () => requests };
}

async function firstAnswer({ port }: Contestant, request: string, { status }: Operation) {
  const [answer] = await send(port, [request]);
  if (answer?.status !== status) throw new Error(`HTTP ${answer?.status}, not ${status}: ${answer?.body}`);
  return answer;
}
