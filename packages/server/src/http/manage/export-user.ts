import type { Application } from '../../domain/applications/application.ts';
import { recordExport } from '../../domain/audit.ts';
import { type PublicEvent, toPublicEvents } from '../../domain/events/public-event.ts';
import { readReceipt } from '../../domain/selections/receipts.ts';
import type { Service } from '../../domain/service.ts';
import { walkEvents, walkHistory, walkSelections } from '../../domain/users/export-users.ts';
import { findUser } from '../../domain/users/identify-user.ts';
import { Type } from '../../schema.ts';
import type { UserRecord } from '../../storage/port.ts';
import { inChunks } from '../bodies.ts';
import { EventResponse } from '../events/event-shapes.ts';
import { writeReceipt } from '../options/user-option.ts';
import { html } from '../preferences/html.ts';
import { FileResponse, type ManageRoutes } from './manage-route.ts';
import { AccessTokenShape, EventShape, OF_USER, OptionShape, UserShape } from './schemas.ts';
import { hidesAddresses, viewAccessToken, viewEvent, viewOption, viewUser, withoutAddress } from './views.ts';

/** What an export needs: the service has it, and the command line builds it. */
export type ExportSource = Pick<Service, 'storage' | 'now' | 'catalogs' | 'publicUrl' | 'signReceipt'>;

type UserExport = {
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
    ...OF_USER,
    alwaysNew: true,
    summary: 'Export all data about a user',
    description:
      'The profile, selections, history, access tokens (without the tokens themselves), a signed receipt of each selection, and the events that are still kept. With `format=html`, a page to read.',
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
        events: Type.Array(EventResponse, { description: 'as feeds and webhooks send them, newest first' }),
      }),
    },
    async handle({ application, manager, params, readQuery }) {
      const { format = 'json' } = readQuery();
      const user = await findUser(service, application, params.userUid);
      const { userId } = user;
      const about = { actor: manager.author, appId: application.appId, userId };
      await recordExport(service.storage.audit, about, service.now());
      const exported = await describeUser(service, application, user);
      const replace = hidesAddresses(manager.accessTo(application.appId)) ? withoutAddress : undefined;
      const type = format === 'html' ? 'text/html' : 'application/json';
      return new FileResponse(type, `user-${userId}.${format}`, writeUserExport(exported, format, replace));
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
        yield await writeReceipt(service, application, await readReceipt(service, user, record));
      }
    })(),
    events: (async function* () {
      for await (const stored of walkEvents(service, application.appId, userId)) {
        for (const { event } of await toPublicEvents(service, application, [stored])) yield event;
      }
    })(),
  };
}

type Replace = (name: string, member: unknown) => unknown;

/** As JSON with one item per line, or as a page. Texts are made as they are read. */
export function writeUserExport(
  exported: UserExport,
  format: 'json' | 'html',
  replace?: Replace,
): AsyncGenerator<string> {
  return inChunks(format === 'html' ? writeUserPage(exported, replace) : writeUserJson(exported, replace));
}

async function* writeUserJson(exported: UserExport, replace?: Replace) {
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

/** The same as a page to read and save: one file without scripts, which loads nothing. */
async function* writeUserPage(exported: UserExport, replace: Replace = (_, member) => member): AsyncGenerator<string> {
  const { clientId, user } = exported;
  const { clientUserName } = user;
  yield html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${clientUserName}</title><style>
:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{border:1px solid #8888;padding:.4rem .6rem;text-align:start;vertical-align:top;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8888;padding:.6rem}
</style></head><body><main><h1 dir="auto">${clientUserName}</h1>
<h2>Profile</h2>`.text;
  yield* table(['Field', 'Value'], Object.entries({ ...user, clientId }), (fact) => fact);
  yield '\n<h2>Selections</h2>';
  yield* table(['Group', 'Key', 'Value', 'First saved', 'Last saved'], exported.options, (each) => [
    ...[each.groupName, each.keyName, each.texts ?? each.value, each.createdAt, each.updatedAt],
  ]);
  yield '\n<h2>History</h2>';
  yield* table(['Time', 'Group', 'Key', 'From', 'To', 'By'], exported.history, (each) => [
    ...[each.at, each.groupName, each.keyName, each.fromValue, each.toValue, replace('actor', each.actor) ?? each.by],
  ]);
  yield '\n<h2>Access tokens</h2>';
  yield* table(['Id', 'Issued', 'Expires'], exported.accessTokens, (each) => [
    ...[each.tokenId, each.issuedAt, each.expiresAt],
  ]);
  yield '\n<h2>Receipts</h2>';
  for await (const receipt of exported.receipts) yield html`<pre>${receipt}</pre>`.text;
  yield '\n<h2>Events</h2>';
  yield* table(['Id', 'Time', 'Type', 'Data'], exported.events, (each) => [
    ...[each.id, each.timestamp, each.type, each.data],
  ]);
  yield '\n</main></body></html>\n';
}

async function* table<T>(
  names: readonly string[],
  rows: Iterable<T> | AsyncIterable<T>,
  cellsOf: (row: T) => readonly unknown[],
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const row of rows) {
    if (isEmpty) {
      yield html`<table><thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>`.text;
    }
    isEmpty = false;
    yield html`<tr>${cellsOf(row).map((cell) => html`<td dir="auto">${written(cell)}</td>`)}</tr>`.text;
  }
  yield isEmpty ? '<p>None.</p>' : '</tbody></table>';
}

function written(cell: unknown): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
