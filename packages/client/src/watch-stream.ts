import { InnkeeperError } from './error.ts';
import { pause } from './retry.ts';

/** What the service sends to a page, as docs/asyncapi.json describes it. */
export type WatchEvent =
  | {
      name: 'selection';
      data: {
        type: 'selection.saved' | 'selection.unset';
        user_options_uid: string;
        user_uid: string;
        option_group_uid: string | null;
        option_key_uid: string | null;
        timestamp: string;
        [more: string]: unknown;
      };
    }
  | { name: 'catalog'; data: { revision: number; timestamp: string } }
  | { name: 'reset'; data: Record<string, never> };

type Listener = (event: WatchEvent) => void;
type OpenStream = (resumed: Record<string, string>, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** The service sends something every 15 seconds. */
const SILENT_MS = 45_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** No event is this long. */
const MAX_EVENT = 1_000_000;

/**
 * Follows server-sent events with fetch, which can send a token (EventSource cannot), until the signal or the returned
 * function ends it, or the service rejects a token that is fixed.
 */
export function watchStream(
  listener: Listener,
  signal: AbortSignal | undefined,
  open: OpenStream,
  isTokenFixed: boolean,
): () => void {
  if (typeof listener !== 'function') throw new TypeError('watch requires a function');
  const control = new AbortController();
  const stop = () => control.abort();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  void follow(listener, control.signal, open, isTokenFixed).finally(() => signal?.removeEventListener('abort', stop));
  return stop;
}

async function follow(listener: Listener, signal: AbortSignal, open: OpenStream, isTokenFixed: boolean): Promise<void> {
  let lastId: string | undefined;
  for (let failures = 0; !signal.aborted; ) {
    try {
      await connect(open, lastId, signal, (event, id) => {
        failures = 0;
        if (id !== undefined) lastId = id;
        if (event) notify(listener, event);
      });
    } catch (error) {
      // A retry would be refused as well: for example, the token is no longer valid and the page has no other.
      if (error instanceof InnkeeperError && (!error.isRetryable || (isTokenFixed && error.code === '1007'))) return;
    }
    const wait = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++);
    await pause(wait * (0.5 + Math.random() / 2), signal).catch(() => {});
  }
}

/** One connection, until it ends. */
async function connect(
  open: OpenStream,
  lastId: string | undefined,
  signal: AbortSignal,
  take: (event: WatchEvent | undefined, id: string | undefined) => void,
): Promise<void> {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener('abort', end);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const body = await open(lastId === undefined ? {} : { 'Last-Event-ID': lastId }, connection.signal);
    // Changes before the stream was open are not reported.
    take(lastId === undefined ? { name: 'reset', data: {} } : undefined, undefined);
    const reader = body.getReader();
    const decoder = new TextDecoder();
    for (let text = ''; ; ) {
      clearTimeout(timer);
      timer = setTimeout(end, SILENT_MS);
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() as string;
      if (text.length > MAX_EVENT) return;
      for (const block of blocks) take(...readBlock(block));
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    end();
  }
}

function readBlock(block: string): [WatchEvent | undefined, string | undefined] {
  const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]));
  const name = fields.get('event');
  const event = name && ({ name, data: JSON.parse(fields.get('data') ?? '{}') } as WatchEvent);
  return [event || undefined, fields.get('id')];
}

/** An error in the page's listener must not end the stream: it is reported as uncaught. */
function notify(listener: Listener, event: WatchEvent): void {
  try {
    listener(event);
  } catch (error) {
    void Promise.reject(error);
  }
}
