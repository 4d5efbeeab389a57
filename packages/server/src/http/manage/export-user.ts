import type { Application } from '../../domain/applications/application.ts';
import { recordExport } from '../../domain/audit.ts';
import { type PublicEvent, toPublicEvents } from '../../domain/events/public-event.ts';
import { readReceipt } from '../../domain/selections/receipts.ts';
import type { Service } from '../../domain/service.ts';
import { walkEvents, walkHistory, walkSelections } from '../../domain/users/export-user.ts';
import { findUser } from '../../domain/users/identify-user.ts';
import { Type } from '../../schema.ts';
import type { UserRecord } from '../../storage/port.ts';
import { EventAnswer } from '../events/event-shapes.ts';
import { inChunks } from '../in-chunks.ts';
import { writeReceipt } from '../options/user-option.ts';
import { readParameter } from '../paging.ts';
import { refuse } from './input.ts';
import { FileAnswer, type ManageRoutes } from './manage-route.ts';
import { AccessTokenShape, EventShape, OptionShape, UserParams, UserShape } from './schemas.ts';
import { writeUserPage } from './user-export-page.ts';
import { viewAccessToken, viewEvent, viewOption, viewUser } from './views.ts';
import { hidesAddresses, withoutAddress } from './without-addresses.ts';

/** What an export needs: the service has it, and the command line builds it. */
export type ExportSource = Pick<Service, 'storage' | 'now' | 'catalogs' | 'publicUrl' | 'signReceipt'>;

export type UserExport = {
  clientId: string;
  user: ReturnType<typeof viewUser>;
  accessTokens: AsyncIterable<ReturnType<typeof viewAccessToken>>;
  options: AsyncIterable<ReturnType<typeof viewOption>>;
  history: AsyncIterable<ReturnType<typeof viewEvent>>;
  receipts: AsyncIterable<string>;
  events: AsyncIterable<PublicEvent>;
};

export function exportUserRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/users/:userUid/export', {
    operationId: 'exportUser',
    access: 'users',
    alwaysNew: true,
    summary: 'Export all data about a user',
    description:
      'The profile, selections, history, access tokens (without the tokens themselves), a signed receipt of each selection, and the events that are still kept. With `format=html`, a page to read.',
    params: UserParams,
    querystring: Type.Object({ format: Type.Optional(Type.Enum(['json', 'html'])) }),
    produces: ['application/json', 'text/html'],
    response: {
      200: Type.Object({
        clientId: Type.String(),
        user: Type.Object(UserShape, { title: 'ManagedUser' }),
        accessTokens: Type.Array(AccessTokenShape),
        options: Type.Array(OptionShape, { description: 'their selections' }),
        history: Type.Array(EventShape, { description: 'by selection, the newest change first' }),
        receipts: Type.Array(Type.String(), {
          description: 'as GET /api/user_options/{user_options_uid}/receipt returns',
        }),
        events: Type.Array(EventAnswer, { description: 'as feeds and webhooks send them, newest first' }),
      }),
    },
    errors: ['userNotFound'],
    async handle({ application, manager, params, query }) {
      const format = readParameter(query, 'format') ?? 'json';
      if (format !== 'json' && format !== 'html') throw refuse('format', 'must be json or html');
      const user = await findUser(service, application, params.userUid);
      const { userId } = user;
      const about = { actor: manager.author, appId: application.appId, userId };
      await recordExport(service.storage.audit, about, service.now());
      const exported = await describeUser(service, application, user);
      const replace = hidesAddresses(manager.accessTo(application.appId)) ? withoutAddress : undefined;
      const type = format === 'html' ? 'text/html' : 'application/json';
      return new FileAnswer(type, `user-${userId}.${format}`, writeUserExport(exported, format, replace));
    },
  });
}

export async function describeUser(
  service: ExportSource,
  application: Pick<Application, 'appId' | 'clientId' | 'settings'>,
  user: UserRecord,
): Promise<UserExport> {
  const { userId } = user;
  const catalog = await service.catalogs.get(application.appId);
  return {
    clientId: application.clientId,
    user: viewUser(user),
    accessTokens: (async function* () {
      yield* (await service.storage.tokens.list(userId, service.now())).map(viewAccessToken);
    })(),
    options: (async function* () {
      for await (const record of walkSelections(service, userId)) {
        const placed = catalog.keyByNo.get(record.keyNo);
        if (placed) yield viewOption({ placed, record, value: JSON.parse(record.value) });
      }
    })(),
    history: (async function* () {
      for await (const event of walkHistory(service, userId)) yield viewEvent(catalog, event);
    })(),
    receipts: (async function* () {
      for await (const record of walkSelections(service, userId)) {
        yield await writeReceipt(service, application, await readReceipt(service, user, record, record));
      }
    })(),
    events: (async function* () {
      for await (const stored of walkEvents(service, application.appId, userId)) {
        for (const { event } of await toPublicEvents(service, application, [stored])) yield event;
      }
    })(),
  };
}

/** As JSON with one item per line, or as a page. Texts are made as they are read. */
export function writeUserExport(
  exported: UserExport,
  format: 'json' | 'html',
  replace?: (name: string, member: unknown) => unknown,
): AsyncGenerator<string> {
  return inChunks(format === 'html' ? writeUserPage(exported) : writeUserJson(exported, replace));
}

async function* writeUserJson(exported: UserExport, replace?: (name: string, member: unknown) => unknown) {
  const { clientId, user, ...lists } = exported;
  yield `{"clientId":${JSON.stringify(clientId)},\n"user":${JSON.stringify(user)}`;
  for (const [name, items] of Object.entries(lists)) {
    yield `,\n"${name}":[`;
    let separator = '\n';
    for await (const item of items) {
      yield separator + JSON.stringify(item, replace);
      separator = ',\n';
    }
    yield ']';
  }
  yield '}\n';
}
