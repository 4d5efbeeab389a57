import { inspect } from 'node:util';
import { createLogger } from './monitoring/logging.ts';

/** Any uncaught error, including a rejected promise, ends the process with one log line at any log level. */
export function exitOnUncaught(): void {
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
