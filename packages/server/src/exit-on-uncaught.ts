import { inspect } from 'node:util';
import { createLogger } from './monitoring/logging.ts';

/** An error that nothing catches, in a promise too, ends the process, with one line in the log at any log level. */
export function exitOnUncaught(): void {
  const logger = createLogger('fatal');
  process.on('uncaughtException', (thrown: unknown, origin) => {
    try {
      // Anything can be thrown. pino flushes after a fatal line, and the flush is bounded.
      const err = thrown instanceof Error ? thrown : new Error(`${typeof thrown} thrown: ${inspect(thrown)}`);
      logger.fatal({ err, origin }, 'uncaught error: the process ends');
    } finally {
      process.exit(1);
    }
  });
}
