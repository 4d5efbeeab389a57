import { BEAT_MS, type Follower, type LivePage } from '../../domain/events/live-events.ts';
import type { BodyStream } from '../server/request-and-reply.ts';

export const EVENT_STREAM = 'text/event-stream';

/** Clients that lose the stream reconnect after this time. */
const RETRY = 'retry: 2000\n';

/** Minimum characters per chunk, unless the events end. */
const CHUNK = 65_536;

export type StreamParts = {
  follower: Follower;
  /** Sent before anything else. */
  first?: string;
  /** The events of a page for this client, one by one; may be empty. */
  write(page: LivePage): Iterable<string>;
  /** A cursor after everything read so far, with which a client can resume. */
  cursor(place: number): string;
  /** Checked before anything is sent: false ends the stream, because the client has lost access. */
  isAllowed(): Promise<boolean>;
};

/** Server-sent events, made as the client reads them. Ends when the client disconnects or the service closes. */
export function eventStream({ follower, first = '', write, cursor, isAllowed }: StreamParts): BodyStream {
  let isBegun = false;
  let sentAt = performance.now();
  let rest: Iterator<string> | undefined;
  const writeId = (place: number): string => `id: ${cursor(place)}\n`;
  const next = async (): Promise<IteratorResult<string>> => {
    if (!isBegun) {
      isBegun = true;
      const { openedAt } = follower;
      return { done: false, value: `${RETRY}${openedAt === undefined ? '' : writeId(openedAt)}\n${first}` };
    }
    for (;;) {
      const more = take(rest);
      if (more !== '') return { done: false, value: more };
      const news = await follower.next();
      if (news === undefined) break;
      rest = news === 'beat' ? undefined : write(news)[Symbol.iterator]();
      const text = take(rest);
      // A busy application may have nothing for this client for a long time.
      const isIdle = performance.now() - sentAt >= BEAT_MS - 1_000;
      if (text === '' && !isIdle) continue;
      if (!(await isAllowed())) break;
      sentAt = performance.now();
      return { done: false, value: text === '' ? `${writeId(follower.place)}\n` : text };
    }
    follower.end();
    return { done: true, value: undefined };
  };
  const end = async (): Promise<IteratorResult<string>> => {
    follower.end();
    return { done: true, value: undefined };
  };
  return { isEndless: true, [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

/** Writes large events only after the client has read the earlier ones, so that a slow client costs little. */
function take(events: Iterator<string> | undefined): string {
  let text = '';
  while (events && text.length < CHUNK) {
    const { done, value } = events.next();
    if (done) break;
    text += value;
  }
  return text;
}

/** One event. JSON contains no line breaks. */
export function writeEvent(name: string, data: object, id: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
