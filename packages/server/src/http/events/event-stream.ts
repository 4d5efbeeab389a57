import { BEAT_MS, type Follower, type LivePage } from '../../domain/events/live-events.ts';
import type { BodyStream } from '../server/request-and-reply.ts';

export const EVENT_STREAM = 'text/event-stream';

/** Clients that lose the stream come back after this time. */
const RETRY = 'retry: 2000\n';

/** Characters that are sent at once, or one event. */
const CHUNK = 65_536;

export type StreamParts = {
  follower: Follower;
  /** Sent before anything else. */
  first?: string;
  /** What is sent for a page, event by event; nothing where there is nothing for this client. */
  write(page: LivePage): Iterable<string>;
  /** A cursor after everything that was looked at: a client that comes back with it goes on from there. */
  cursor(place: number): string;
  /** Asked before anything is sent: false ends the stream, as the client would no longer be let in. */
  isAllowed(): Promise<boolean>;
};

/** Server-sent events, made as the client takes them. Ends at once when the client goes, and when the service closes. */
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
      // Of a busy application, there may be nothing for this client for long.
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

/** Large events are written only when the client has taken those before: a slow one costs little. */
function take(events: Iterator<string> | undefined): string {
  let text = '';
  while (events && text.length < CHUNK) {
    const { done, value } = events.next();
    if (done) break;
    text += value;
  }
  return text;
}

/** One event. JSON has no line breaks of its own. */
export function writeEvent(name: string, data: object, id: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
