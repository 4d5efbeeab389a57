import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { storageDriver } from './storage/open.ts';
import { DatabaseDamaged, DatabaseRefused, StorageUnavailable } from './storage/port.ts';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

/**
 * A database server may start after the service. A start retries with growing pauses for as long as the setting allows,
 * then fails with the last error. An embedded database is not waited for.
 */
export async function waitForDatabase({ databaseUrl, databaseWaitMs }: Config, logger: Logger): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) return;
  const driver = await storageDriver(databaseUrl);
  const deadline = performance.now() + databaseWaitMs;
  for (let pauseMs = FIRST_PAUSE_MS, tries = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS), tries++) {
    try {
      const { applied } = await driver.migrationState();
      // Points out a mistyped name or a wrong search_path, which would otherwise go unnoticed.
      if (applied === 0) logger.info('the database is new and empty: its tables are created');
      if (tries > 1) logger.info({ tries }, 'the database is reachable');
      return;
    } catch (error) {
      const canPass = error instanceof StorageUnavailable && !(error instanceof DatabaseRefused);
      if (!canPass || error instanceof DatabaseDamaged) throw error;
      const left = deadline - performance.now();
      if (left <= 0) throw error;
      const nextMs = Math.round(Math.min(pauseMs, left));
      const giveUpMs = Math.round(left);
      logger.warn({ err: error, nextMs, giveUpMs }, 'the database cannot be reached; retrying');
      await sleep(nextMs);
    }
  }
}
