import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import { reportListening, runWorkers, SHUTDOWN_MS } from './cluster.ts';
import { type Config, commandName, idleVariables, readConfig, unknownVariables } from './config.ts';
import { createSetUpLink } from './domain/accounts/links.ts';
import { createLogger } from './monitoring/logging.ts';
import { openFileProblem } from './open-file-limit.ts';
import { type RunningServer, startServer } from './serve.ts';
import type { Settings } from './service-settings.ts';
import { storageDriver } from './storage/open.ts';
import { DatabaseDamaged, DatabaseRefused, StorageUnavailable } from './storage/port.ts';
import { respondToPings } from './worker-watch.ts';

/** Runs until a signal stops it; returns the exit code. */
export async function run(
  config: Config,
  options: { demo: boolean; isNew?: boolean; ephemeral?: boolean },
): Promise<number> {
  exitOnUncaught();
  await waitForDatabase(config, createLogger(config.logLevel));
  if (config.workers > 1 && cluster.isPrimary) return runWorkers(config);
  let isEnding = false;
  try {
    const ephemeral = options.ephemeral ? await import('./ephemeral.ts') : undefined;
    const server = await untilReachable(config, createLogger(config.logLevel), () =>
      startServer(config, ephemeral?.movedTime),
    );
    const stopped = stopSignal();
    respondToPings();
    reportListening();
    // Node ends the worker right after this event.
    cluster.worker?.once('disconnect', () => {
      if (!isEnding) server.logger.error('the parent process has ended, so this worker ends');
    });
    const isFirst = (cluster.worker?.id ?? 1) === 1;
    // Points out a moved folder or a mistyped path, which would otherwise go unnoticed.
    if (options.isNew) server.logger.info(`created a new, empty database: ${config.databaseUrl}`);
    if (isFirst)
      for (const problem of [...unknownVariables(), ...idleVariables(config), openFileProblem() ?? []].flat())
        server.logger.warn(problem);
    if (ephemeral && process.connected)
      (await import('./ephemeral-commands.ts')).runCommands(server.service, server.url);
    else if (options.demo && isFirst) await welcome(server, config).catch(closeAndThrow(server));
    await stopped;
    isEnding = true;
    server.logger.info({ requests: server.requestsInFlight() }, 'shutting down');
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    await server.close();
    return 0;
  } finally {
    // The channel to the parent would keep this process alive.
    if (cluster.worker) cluster.worker.disconnect();
    else process.channel?.unref();
  }
}

/** `innkeeper serve --ephemeral`: runs until a signal stops it. */
export async function runEphemeral(settings: Settings): Promise<void> {
  const { ephemeralFolder } = await import('./ephemeral.ts');
  using folder = ephemeralFolder();
  const flags = { ...settings, databaseUrl: folder.databaseUrl, workers: '1' };
  const config = readConfig(flags, { defaults: { port: '0', logLevel: 'warn' } });
  process.exitCode = await run(config, { demo: true, ephemeral: true });
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

/** A database server may start after the service. */
export async function waitForDatabase(config: Config, logger: Logger): Promise<void> {
  if (isEmbedded(config)) return;
  const driver = await storageDriver(config.databaseUrl);
  const { applied } = await untilReachable(config, logger, () => driver.migrationState());
  // Points out a mistyped name or a wrong search_path, which would otherwise go unnoticed.
  if (applied === 0) logger.info('the database is new and empty: its tables are created');
}

const isEmbedded = ({ databaseUrl }: Config): boolean => databaseUrl.startsWith('sqlite:');

/**
 * Retries with growing pauses for as long as the setting allows, then fails with the last error. An embedded database
 * is not waited for.
 */
async function untilReachable<T>(config: Config, logger: Logger, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + (isEmbedded(config) ? 0 : config.databaseWaitMs);
  for (let pauseMs = FIRST_PAUSE_MS, tries = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS), tries++) {
    try {
      const result = await attempt();
      if (tries > 1) logger.info({ tries }, 'the database is reachable');
      return result;
    } catch (error) {
      const canPass = error instanceof StorageUnavailable && !(error instanceof DatabaseRefused);
      if (!canPass || error instanceof DatabaseDamaged) throw error;
      const left = deadline - performance.now();
      if (left <= 0) throw error;
      const nextMs = Math.round(Math.min(pauseMs, left));
      const giveUpMs = Math.round(left);
      logger.warn({ reason: error.message, nextMs, giveUpMs }, 'the database cannot be reached; retrying');
      await sleep(nextMs);
    }
  }
}

/** Resolves at the first signal. The second ends the process by default. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    // A terminal sends Ctrl+C to the workers too; they wait for the parent's signal instead.
    if (cluster.isWorker) process.on('SIGINT', () => {});
    else process.once('SIGINT', () => resolve());
  });
}

function closeAndThrow(server: RunningServer): (error: unknown) => Promise<never> {
  return async (error) => {
    await server.close();
    throw error;
  };
}

async function welcome(server: RunningServer, config: Config): Promise<void> {
  const { storage, keyring, now } = server.service;
  const { demoLines, makeDemo } = await import('./demo/make-demo.ts');
  const demo = await makeDemo(storage, keyring, now());
  const url = server.url;
  process.stdout.write(`\n  Innkeeper is ready at ${url}\n`);
  if (config.areas.has('portal')) process.stdout.write(await portalLines(server, demo !== undefined));
  const command = commandName();
  process.stdout.write(
    demo
      ? demoLines(url, demo)
      : `\n  The demo application already exists: ${command} app list\n  For a new secret: ${command} app rotate-secret ${await storage.facts.get('demo-application')}\n`,
  );
  process.stdout.write(`\n  Guide: ${url}/guide\n  Stop with Ctrl+C.\n\n`);
}

/** The first start prints the portal's one-time set-up link; later ones print no secrets. */
async function portalLines({ service }: RunningServer, isFirst: boolean): Promise<string> {
  const { storage, keyring, publicUrl, now } = service;
  const setUp = isFirst ? await createSetUpLink(storage, keyring, { publicUrl, now: now() }) : undefined;
  if (!setUp)
    return `\n  Portal: ${publicUrl}/portal\n  For a sign-in link: ${commandName()} admin create --email YOUR-ADDRESS\n`;
  return `\n  Start here: open this link in a browser to create your account. It works once, within 24 hours.\n\n    ${setUp.link}\n`;
}

/** Any uncaught error, including a rejected promise, ends the process with one log line at any log level. */
function exitOnUncaught(): void {
  const logger = createLogger('fatal');
  process.on('uncaughtException', (thrown: unknown, origin) => {
    try {
      // Anything can be thrown. pino flushes after a fatal line, for a bounded time.
      const err = thrown instanceof Error ? thrown : new Error(`${typeof thrown} thrown: ${inspect(thrown)}`);
      logger.fatal({ err, origin }, 'uncaught error: the process ends');
    } finally {
      process.exit(1);
    }
  });
}
