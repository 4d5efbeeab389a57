import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { BEAT_MS, type Follower, type LiveEvents, type LivePage } from '../../domain/events/live-events.ts';
import { type PublicEvent, readCursor, toPublicEvents, writeCursor } from '../../domain/events/public-event.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, mapSteps } from '../../domain/slices.ts';
import { userOfTokens } from '../../domain/users/identify-user.ts';
import { Type } from '../../schema.ts';
import { EVENT_TYPES, type EventType } from '../../storage/port.ts';
import { pageOf } from '../manage/input.ts';
import { LimitQuery } from '../manage/schemas.ts';
import { identifyApplication } from '../options/api-key.ts';
import { USER_ERRORS } from '../options/schemas.ts';
import { prefersType, readAuthorization } from '../request-headers.ts';
import { type BodyStream, JSON_TYPE, noteUser } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { readListQuery } from '../users/user-filter.ts';
import { admitBackEnd, BACK_END_ERRORS } from '../users/user-routes.ts';
import { EventResponse } from './event-shapes.ts';

const EVENT_STREAM = 'text/event-stream';

/** Clients that lose the stream reconnect after this time. */
const RETRY = 'retry: 2000\n';

/** Minimum characters per chunk, unless the events end. */
const CHUNK = 65_536;

type StreamParts = {
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
function eventStream({ follower, first = '', write, cursor, isAllowed }: StreamParts): BodyStream {
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
function writeEvent(name: string, data: object, id: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const listEventsSchema = {
  operationId: 'listEvents',
  summary: 'Read events, or follow them as a stream',
  description:
    'For the back end of the application: HTTP Basic with clientId and clientSecret. Send `next` as `after` of the next request: nothing is missed, ' +
    'and an event comes at least once, in order per user. A page may be empty while `next` moves on. ' +
    `With \`Accept: ${EVENT_STREAM}\` the same events are sent as they happen; \`Last-Event-ID\` resumes a stream.`,
  tags: ['events'],
  params: Type.Object({ clientId: Type.String() }),
  querystring: Type.Object({
    after: Type.Optional(
      Type.String({
        description:
          '`next` of an earlier page, or `latest` for what happens from now on; without it, the oldest event is first',
      }),
    ),
    ...LimitQuery,
    type: Type.Optional(Type.Array(Type.Enum([...EVENT_TYPES]), { description: 'only these types' })),
  }),
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(Type.String({ description: 'for a stream, instead of `after`' })),
  }),
  security: [{ basic: [] }],
  produces: ['application/json', EVENT_STREAM],
  response: {
    200: Type.Object(
      { items: Type.Array(EventResponse), next: Type.String({ description: '`after` of the next request' }) },
      { title: 'Events' },
    ),
    410: Type.Object({ oldest: Type.String({ description: 'the cursor before the oldest event that is kept' }) }),
  },
  errors: [...BACK_END_ERRORS, 'usersBadRequest', 'cursorInvalid', 'cursorExpired', 'tooManyStreams'],
} satisfies RouteSchema;

export function listEventsRoute(app: Routes, service: Service, live: LiveEvents): void {
  app.get('/api/v2/app/:clientId/events', { schema: listEventsSchema }, async (request, reply) => {
    const { application, isAllowed } = await admitBackEnd(service, request);
    const { type, after: since, ...size } = readListQuery(listEventsSchema.querystring, request.query);
    const types = type && [...new Set(type)];
    const { limit } = pageOf(size);
    const isStream = prefersType(request.headers.accept ?? '', EVENT_STREAM, 'application/json');
    const after = readAfter(service, application, since, isStream ? request.headers['last-event-id'] : undefined);
    reply.header('cache-control', 'no-store').header('vary', 'Accept');
    const cursor = (no: number): string => writeCursor(service.keyring, application, no);
    if (isStream) {
      const follower = await live.follow(application, { after, types });
      const body = eventStream({
        ...{ follower, cursor, isAllowed },
        *write({ items }) {
          for (const { no, event } of items) yield writeEvent(event.type, event, cursor(no));
        },
      });
      return reply.header('x-accel-buffering', 'no').stream(EVENT_STREAM, body);
    }
    const page = await service.storage.events.read(application.appId, after, { limit, types });
    if (page.outcome === 'expired')
      throw new InnkeeperError('cursorExpired', { more: { oldest: cursor(page.oldest) } });
    const items = await toPublicEvents(service, application, page.items);
    const written = await directlyOrInSlices(mapSteps(items, ({ event }) => JSON.stringify(event)));
    return reply.type(JSON_TYPE).send(`{"items":[${written.join()}],"next":${JSON.stringify(cursor(page.next))}}`);
  });
}

function readAfter(
  { keyring }: Service,
  application: Application,
  after: string | undefined,
  resumed: string | string[] | undefined,
): number | 'start' | 'latest' {
  if (typeof resumed === 'string' && resumed !== '') return readCursor(keyring, application, resumed, 'Last-Event-ID');
  if (after === undefined) return 'start';
  return after === 'latest' ? after : readCursor(keyring, application, after, 'after');
}

/** The types that a page gets, and those that end its stream. */
const TYPES: readonly EventType[] = [
  'selection.saved',
  'selection.unset',
  'catalog.published',
  'user.suspended',
  'user.deleted',
];

/** A stream that is further behind starts over: reading what it missed would take too long. */
const MAX_BEHIND = 10_000;

const userEventsSchema = {
  operationId: 'followUserOptions',
  summary: 'Follow the options of a user',
  description:
    'A stream of server-sent events for pages: `selection` when an option of the user is saved or unset, on any device, and `catalog` when a ' +
    'revision is published. It begins with what happens from now on: read the options after it is open. `Last-Event-ID` resumes it; ' +
    'when that is no longer possible, the event `reset` says to read them again.',
  tags: ['options'],
  security: [{ apiKey: [], bearer: [] }],
  headers: Type.Object({ 'Last-Event-ID': Type.Optional(Type.String()) }),
  produces: EVENT_STREAM,
  response: { 200: Type.String({ description: 'events `selection`, `catalog` and `reset`' }) },
  errors: [...USER_ERRORS, 'tooManyStreams'],
} satisfies RouteSchema;

export function userEventsRoute(app: Routes, service: Service, live: LiveEvents): void {
  const { keyring, storage } = service;
  app.get('/api/user_options/events', { schema: userEventsSchema }, async (request, reply) => {
    const application = await identifyApplication(service, request, reply);
    const credentials = readAuthorization(request.headers.authorization);
    const claims = { userUid: undefined, accessToken: undefined, credentials };
    const findUser = () =>
      userOfTokens(service, application, claims, (tokenId, now) => storage.tokens.findOwner(tokenId, now));
    const user = await findUser();
    if (!user) throw new InnkeeperError('userCredentialsNeeded', { message: "The user's access token is required." });
    noteUser(request, user);
    const cursor = (no: number): string => writeCursor(keyring, application, no);
    const lastId = request.headers['last-event-id'];
    const resumed =
      typeof lastId === 'string' && lastId !== '' ? await resume(application, lastId, user.userId) : undefined;
    const follower = resumed ?? (await live.follow(application, { after: 'latest', types: TYPES }, user.userId));
    const isLost = lastId !== undefined && !resumed;
    const body = eventStream({
      ...{ follower, cursor, first: isLost ? writeEvent('reset', {}, cursor(follower.place)) : '' },
      *write(page) {
        for (const { no, event } of page.forUser(user.userId)) yield writeUserEvent(event, cursor(no));
      },
      isAllowed: () =>
        findUser().then(
          (found) => found !== undefined,
          () => false,
        ),
    });
    return reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').stream(EVENT_STREAM, body);
  });

  /** undefined: not a valid cursor, or the events after it were purged or are too many to scan. */
  async function resume(application: Application, lastId: string, userId: string): Promise<Follower | undefined> {
    try {
      const after = readCursor(keyring, application, lastId, 'Last-Event-ID');
      if (!(await storage.events.isNear(application.appId, after, MAX_BEHIND))) return undefined;
      return await live.follow(application, { after, types: TYPES }, userId);
    } catch (error) {
      if (error instanceof InnkeeperError) return undefined;
      throw error;
    }
  }
}

/** Users do not learn who published a revision. */
function writeUserEvent({ type, timestamp, data }: PublicEvent, id: string): string {
  if (type === 'catalog.published') return writeEvent('catalog', { timestamp, revision: data.revision }, id);
  // Sent as a comment: it triggers the check whether the user may still read.
  if (type.startsWith('user.')) return `: ${type}\n\n`;
  return writeEvent('selection', { type, timestamp, ...data }, id);
}
