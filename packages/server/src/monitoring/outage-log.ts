import type { Logger } from 'pino';
import type { WithoutStack } from './logging.ts';

const EVERY_MS = 1_000;

type Failure = { level: 'warn' | 'error'; code: string; reqId: string; thrown: unknown };

/**
 * Failures that are expected while the database or the token service is away. The first of a code is logged at once, further ones once a
 * second as a number, so that an outage does not fill the disk. Without a stack: it says nothing of what is away.
 */
export function createOutageLog(logger: Logger): (failure: Failure) => void {
  /** By code, of which there are few: failures since the last line. */
  const counted = new Map<string, number>();

  const summarize = (failure: Failure): void => {
    const { code, level, thrown } = failure;
    const count = counted.get(code) ?? 0;
    if (count === 0) {
      counted.delete(code);
      return;
    }
    logger[level]({ code, err: withoutStack(thrown), count }, 'further requests failed');
    counted.set(code, 0);
    later(failure);
  };
  const later = (failure: Failure): void => void setTimeout(() => summarize(failure), EVERY_MS).unref();

  return (failure) => {
    const { code, level, reqId, thrown } = failure;
    const count = counted.get(code);
    if (count !== undefined) {
      counted.set(code, count + 1);
      return;
    }
    logger[level]({ reqId, code, err: withoutStack(thrown) }, 'request failed');
    counted.set(code, 0);
    later(failure);
  };
}

function withoutStack(thrown: unknown): WithoutStack {
  return thrown instanceof Error
    ? { type: thrown.constructor.name, message: thrown.message }
    : { type: typeof thrown, message: String(thrown) };
}
