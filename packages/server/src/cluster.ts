import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from './config.ts';
import { storageDriver } from './storage/open.ts';

const RESTART_MS = 1_000;

/** The process above INNKEEPER_WORKERS: starts them, replaces those that die, and passes the end on to all. */
export async function runWorkers(config: Config): Promise<number> {
  await (await storageDriver(config.databaseUrl)).migrate();
  answerMetrics();
  let ending = false;
  let failed = false;
  const end = (signal: NodeJS.Signals): void => {
    ending = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
  };
  process.on('SIGTERM', end).on('SIGINT', end);

  for (let index = 0; index < config.workers; index++) cluster.fork();
  await new Promise<void>((resolve) => {
    const started = new Set<number>();
    cluster.on('listening', (worker) => started.add(worker.id));
    cluster.on('exit', (worker, code) => {
      // One that never came up would not come up the next time either: its message is already on the screen.
      if (!started.has(worker.id) && !ending) {
        failed = true;
        end('SIGTERM');
      }
      failed ||= ending && code !== 0;
      if (!ending) setTimeout(() => ending || cluster.fork(), RESTART_MS);
      else if (Object.keys(cluster.workers ?? {}).length === 0) resolve();
    });
  });
  return failed ? 1 : 0;
}

/** /metrics reaches one worker; the figures of all of them are with the process above. */
type MetricsMessage = { innkeeperMetrics: 'wanted' } | { innkeeperMetrics: 'text'; text: string };

function answerMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', (worker, message: Partial<MetricsMessage>) => {
    if (message.innkeeperMetrics !== 'wanted') return;
    registry.clusterMetrics().then(
      (text) => worker.send({ innkeeperMetrics: 'text', text } satisfies MetricsMessage),
      () => worker.send({ innkeeperMetrics: 'text', text: '' } satisfies MetricsMessage),
    );
  });
}

/** The text of /metrics for the whole service: this process alone, or all workers summed up. */
export function metricsText(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics();
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry();
  return () =>
    new Promise((resolve) => {
      const receive = (message: Partial<MetricsMessage>): void => {
        if (message.innkeeperMetrics !== 'text') return;
        process.off('message', receive);
        resolve((message as { text: string }).text);
      };
      process.on('message', receive);
      process.send?.({ innkeeperMetrics: 'wanted' } satisfies MetricsMessage);
    });
}
