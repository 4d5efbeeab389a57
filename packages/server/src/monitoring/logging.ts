import { type Logger, pino, stdSerializers } from 'pino';
import type { Config } from '../config.ts';
import { currentSpan } from '../domain/tracing.ts';
import { logOutput } from './log-output.ts';

const OUR_SECRET = /\b(?:ink|ik[ilprsu]|st_\d+)_[\w-]{20,}/g;
/** With or without the rest: what begins like a token is read once, to its end, whether it turns out to be one or not. */
const JWT = /\beyJ[\w-]{10,}(\.[\w-]+\.[\w-]*)?/g;
const URL_PASSWORD = /(:\/\/[^\s:/@]*:)[^\s@]+(@)?/g;

/** Masks anything that looks like one of our secrets or tokens, wherever a message picked it up. Linear in the text. */
export function mask(text: string): string {
  return text
    .replace(JWT, (found, rest?: string) => (rest === undefined ? found : '[masked]'))
    .replace(OUR_SECRET, '[masked]')
    .replace(URL_PASSWORD, (found, start: string, at?: string) => (at === undefined ? found : `${start}[masked]@`));
}

/** Long and without sense, as passwords and keys of other services are. */
export function looksRandom(text: string): boolean {
  const runs = text.match(/[\w+/=-]{16,}/g) ?? [];
  return runs.some((run) => (/\d/.test(run) && /[A-Z]/.test(run)) || /^[\da-f]{24,}$/.test(run));
}

/** A name given by a client, masked unless it looks like a name: anything else may be a secret. */
export function maskName(name: string): string {
  return /^[\w-]{1,40}$/.test(name) && !looksRandom(name) ? mask(name) : '[masked]';
}

/** The path of a request without a route, masked: it may contain anything a client mistook for a path. */
export function maskPath(path: string): string {
  const parts = path.split('/').slice(0, 12);
  return parts.map((part) => (/^[\w.~-]{0,24}$/.test(part) && !looksRandom(part) ? part : '[masked]')).join('/');
}

/** An error that is expected: where it was thrown says nothing. */
export type WithoutStack = { type: string; message: string };

/** JSON lines on standard output. What is logged of a request is chosen in app.ts: never its body, headers or query. */
export function createLogger(level: Config['logLevel']): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Where it belongs in a trace, if requests are traced.
      mixin() {
        const span = currentSpan();
        return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
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
