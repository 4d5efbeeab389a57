import { type Logger, pino, stdSerializers } from 'pino';
import type { Config } from '../config.ts';
import { currentSpan } from '../domain/tracing.ts';
import { logOutput } from './log-output.ts';

const OUR_SECRET = /\b(?:ink|ik[ilprsu]|st_\d+)_[\w-]{20,}/g;
/** The rest is optional, so that text that starts like a token is scanned only once, whether it is one or not. */
const JWT = /\beyJ[\w-]{10,}(\.[\w-]+\.[\w-]*)?/g;
const URL_PASSWORD = /(:\/\/[^\s:/@]*:)[^\s@]+(@)?/g;

/** Masks anything that looks like one of our secrets or tokens, wherever a message picked it up. Linear in the text. */
export function mask(text: string): string {
  return text
    .replace(JWT, (found, rest?: string) => (rest === undefined ? found : '[masked]'))
    .replace(OUR_SECRET, '[masked]')
    .replace(URL_PASSWORD, (found, start: string, at?: string) => (at === undefined ? found : `${start}[masked]@`));
}

/** Long and random, like passwords and keys of other services. */
export function looksRandom(text: string): boolean {
  const runs = text.match(/[\w+/=-]{16,}/g) ?? [];
  return runs.some((run) => (/\d/.test(run) && /[A-Z]/.test(run)) || /^[\da-f]{24,}$/.test(run));
}

/** A name sent by a client, masked unless it looks like a name: it may be a secret. */
export function maskName(name: string): string {
  return /^[\w-]{1,40}$/.test(name) && !looksRandom(name) ? mask(name) : '[masked]';
}

/** The path of a request without a route, masked: it may contain anything. */
export function maskPath(path: string): string {
  const parts = path.split('/').slice(0, 12);
  return parts.map((part) => (/^[\w.~-]{0,24}$/.test(part) && !looksRandom(part) ? part : '[masked]')).join('/');
}

/** An expected error: its stack is of no use. */
type WithoutStack = { type: string; message: string };

/** JSON lines on standard output. app.ts decides what is logged of a request: never its body, headers or query. */
export function createLogger(level: Config['logLevel']): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // The trace and span, if requests are traced.
      mixin() {
        const span = currentSpan();
        return { trace_id: span?.traceId, span_id: span?.spanId };
      },
      serializers: {
        err: (error: Error | WithoutStack) => {
          if (!(error instanceof Error)) return { type: error.type, message: mask(error.message) };
          const { type, message, stack } = stdSerializers.err(error);
          return { type, message: mask(message), stack: mask(stack ?? '') };
        },
      },
    },
    logOutput(),
  );
}

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
