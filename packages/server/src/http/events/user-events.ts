import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Follower, LiveEvents } from '../../domain/events/live-events.ts';
import { type PublicEvent, readCursor, writeCursor } from '../../domain/events/public-event.ts';
import type { Service } from '../../domain/service.ts';
import { userOfTokens } from '../../domain/users/identify-user.ts';
import { Type } from '../../schema.ts';
import type { EventType } from '../../storage/port.ts';
import { noteUser } from '../about.ts';
import { identifyApplication } from '../options/api-key.ts';
import { USER_ERRORS } from '../options/schemas.ts';
import { readAuthorization } from '../request-headers.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { EVENT_STREAM, eventStream, writeEvent } from './event-stream.ts';

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

const schema = {
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
  app.get('/api/user_options/events', { schema }, async (request, reply) => {
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
