import type { Logger } from 'pino';
import type { WithoutStack } from './logging.ts';

const EVERY_MS = 1_000;

type Failure = { level: 'warn' | 'error'; code: string; reqId: string; thrown: unknown };

/**
 * For failures that are expected while the database or the token service is unreachable. Logs the first of each code
 * immediately and the rest as a count once a second, so that an outage does not fill the disk. Without a stack, which
 * would say nothing about the outage.
 */
export function createOutageLog(logger: Logger): (failure: Failure) => void {
  /** Failures since the last line, by code. There are few codes. */
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
