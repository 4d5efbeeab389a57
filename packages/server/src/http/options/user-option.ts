import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { findReceipt, type Receipt, signReceipt } from '../../domain/selections/receipts.ts';
import { isTagOf, recordTag } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices } from '../../domain/slices.ts';
import { type IdentifiedUser, identifyUserToRead } from '../../domain/users/identify-user.ts';
import { NotModified, Nullable, Type } from '../../schema.ts';
import { SELECTION_AUTH_METHODS } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { isUuid } from '../../uuid.ts';
import { linkHeader, readPage, toPage } from '../paging.ts';
import { hasCurrent } from '../request-headers.ts';
import { type HttpReply, type HttpRequest, noteUser, toWireBytes } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { identifyApplication } from './api-key.ts';
import { placeAt, withCurrentRecord } from './list-user-options.ts';
import { readWording, respondPrivately } from './responses.ts';
import {
  AcceptLanguageHeader,
  ChangedMembers,
  LanguageQuery,
  LIST_HEADERS,
  ListResponse,
  PagingQuery,
  queryOf,
  RECORD_HEADERS,
  USER_ERRORS,
  UserOptionResponse,
  ValueResponse,
} from './schemas.ts';
import { recordView, writeUserOption } from './user-option-view.ts';
import { claimsOfQuery, readIfMatch } from './wanted-selection.ts';

const PATH = '/api/user_options/:user_options_uid';
const JWT_TYPE = 'application/jwt';

const UserUidQuery = {
  user_uid: Type.Optional(Type.String({ format: 'uuid', description: 'with HTTP Basic' })),
};

/** For every operation on one record. */
const ONE = {
  tags: ['options'],
  security: [
    { apiKey: [], bearer: [] },
    { apiKey: [], basic: [] },
  ],
  params: Type.Object({ user_options_uid: Type.String({ format: 'uuid' }) }),
} satisfies RouteSchema;

const HistoryEntry = Type.Object(
  {
    action: Type.Enum(['save', 'unset']),
    at: Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' }),
    by: Type.Enum([...SELECTION_AUTH_METHODS]),
    language: Nullable(Type.String({ description: 'for an open text: tag of the saved language' })),
    from_value: Nullable(ValueResponse),
    to_value: Nullable(ValueResponse),
  },
  { title: 'UserOptionEvent' },
);

/** One user option: its record, history and receipt. */
export function userOptionRoutes(app: Routes, service: Service): void {
  const getSchema: RouteSchema = {
    ...ONE,
    operationId: 'getUserOption',
    summary: 'Get one user option',
    querystring: queryOf(LanguageQuery, UserUidQuery),
    response: { 200: UserOptionResponse, 304: NotModified },
    headers: AcceptLanguageHeader,
    responseHeaders: RECORD_HEADERS,
    errors: [...USER_ERRORS, 'languageUnknown', 'selectionNotFound'],
  };
  app.get(PATH, { schema: getSchema }, async (request, reply) => {
    const { application, user, selectionId } = await readUserOptionRequest(service, request, reply);
    const today = await service.catalogs.get(application.appId);
    const wording = readWording(today, request.query, request.headers['accept-language']);
    const records = await service.storage.selections.list(user.userId);
    const record = records.find((each) => each.selectionId === selectionId);
    if (!record) throw new InnkeeperError('selectionNotFound');
    const then = await placeAt(service, application.appId, record);
    const view = recordView(today, wording, { clientId: application.clientId, userId: user.userId });
    const written = await directlyOrInSlices(writeUserOption(view, then, record));
    return respondPrivately(request, reply, written, recordTag(record));
  });

  const deleteSchema: RouteSchema = {
    ...ONE,
    operationId: 'deleteUserOption',
    summary: 'Unset a user option',
    querystring: queryOf(UserUidQuery),
    headers: Type.Object({
      'If-Match': Type.Optional(
        Type.String({ description: 'the ETag of the record: it is unset only if the record is still the same' }),
      ),
    }),
    response: { 204: Type.Null({ description: 'The default applies again.' }), 412: ChangedMembers },
    errors: [...USER_ERRORS, 'selectionNotFound', 'selectionChanged'],
  };
  app.delete(PATH, { schema: deleteSchema }, async (request, reply) => {
    const { application, user, authMethod, selectionId } = await readUserOptionRequest(service, request, reply);
    const ifMatch = readIfMatch(request.headers['if-match'], 'If-Match');
    const { selections } = service.storage;
    const find = async () => (await selections.list(user.userId)).find((each) => each.selectionId === selectionId);
    const record = ifMatch === undefined ? undefined : await find();
    const isSame = !record || ifMatch === '*' || ifMatch?.some((tag) => isTagOf(tag, record));
    const change = { at: service.now(), authMethod };
    const outcome = isSame && (await selections.unset(user.userId, selectionId, change, record?.version));
    if (outcome !== 'unset') {
      const now = record && (await find());
      if (!now) throw new InnkeeperError('selectionNotFound');
      const fields = [{ field: 'If-Match', message: 'does not match the current record' }];
      const changed = new InnkeeperError('selectionChanged', { fields, more: { record: now } });
      throw await withCurrentRecord(changed, service, application, user, request.headers['accept-language']);
    }
    service.activity.count(user.appId, 'selectionsUnset');
    return reply.code(204).send();
  });

  const historySchema: RouteSchema = {
    ...ONE,
    operationId: 'listUserOptionHistory',
    summary: 'List the history of a user option, newest first',
    querystring: queryOf(PagingQuery, UserUidQuery),
    response: { 200: ListResponse(HistoryEntry), 304: NotModified },
    responseHeaders: LIST_HEADERS,
    errors: [...USER_ERRORS, 'selectionNotFound'],
  };
  /** Also for a record that was unset; deleted with the user. */
  app.get(`${PATH}/history`, { schema: historySchema }, async (request, reply) => {
    const { user, selectionId } = await readUserOptionRequest(service, request, reply);
    const query = request.query;
    const page = readPage(query);
    const { items, total } = await service.storage.selections.history(user.userId, page, selectionId);
    if (total === 0) throw new InnkeeperError('selectionNotFound');
    const listing = toPage(
      items.map(({ at, authMethod, language, fromValue, toValue }) => ({
        action: toValue === null ? 'unset' : 'save',
        at: formatTime(at),
        by: authMethod,
        language,
        from_value: fromValue === null ? null : JSON.parse(fromValue),
        to_value: toValue === null ? null : JSON.parse(toValue),
      })),
      total,
      page,
    );
    const link = linkHeader(`/api/user_options/${selectionId}/history`, query, listing);
    if (link !== undefined) reply.header('link', link);
    const bytes = toWireBytes(JSON.stringify(listing));
    return respondPrivately(request, reply, { bytes, mark: bytes });
  });

  const receiptSchema: RouteSchema = {
    ...ONE,
    operationId: 'getUserOptionReceipt',
    summary: 'Get a signed receipt of the last save of a user option',
    description:
      'A compact JWS (RFC 7515) with `typ` `receipt+jwt`, signed by a key of /oauth/v2/jwks, which keeps all public keys, so that it can be ' +
      'verified years later. Its claims: `iss`, `sub` (the service_user_code), `aud` (the clientId), `iat`, `clientUserId`, ' +
      '`user_options_uid`, `option_group_uid`, `option_key_uid`, `group`, `option`, `value`, `texts` (what was shown: `group`, `group_description`, `option`, ' +
      '`option_description`, `value`), `language` and `language_tag` of these texts, `language_known` (false: the save named none, and they are those of the default ' +
      'language), `revision` of the catalog, `created_at`, `saved_at`, and `by`, how it was saved (null: saved before this was recorded).',
    querystring: queryOf(UserUidQuery),
    produces: JWT_TYPE,
    response: { 200: Type.String({ description: 'the receipt' }), 304: NotModified },
    responseHeaders: RECORD_HEADERS,
    errors: [...USER_ERRORS, 'selectionNotFound'],
  };
  app.get(`${PATH}/receipt`, { schema: receiptSchema }, async (request, reply) => {
    const { application, user, selectionId } = await readUserOptionRequest(service, request, reply);
    const receipt = await findReceipt(service, user, selectionId);
    if (!receipt) throw new InnkeeperError('selectionNotFound');
    const { record } = receipt;
    // Saving the same value again is a new save, with its own receipt.
    const etag = `"${recordTag(record)}.${record.updatedAt}"`;
    reply
      .header('etag', etag)
      .header('cache-control', 'private, no-cache')
      .header('vary', 'apiKey, Authorization, Origin');
    if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type(JWT_TYPE).send(await writeReceipt(service, application, receipt));
  });
}

/** The requested record and its user. A record of another user looks like one that does not exist. */
async function readUserOptionRequest(
  service: Service,
  request: HttpRequest,
  reply: HttpReply,
): Promise<IdentifiedUser & { application: Application; selectionId: string }> {
  const application = await identifyApplication(service, request, reply);
  const identified = await identifyUserToRead(service, application, claimsOfQuery(request));
  noteUser(request, identified.user);
  const { user_options_uid: selectionId = '' } = request.params;
  if (!isUuid(selectionId)) throw new InnkeeperError('selectionNotFound');
  return { ...identified, application, selectionId };
}

export function writeReceipt(
  service: Pick<Service, 'publicUrl' | 'now' | 'signReceipt'>,
  application: Pick<Application, 'clientId' | 'settings'>,
  receipt: Receipt,
): Promise<string> {
  const { user, placed, record, authMethod, value, language, isLanguageKnown, texts } = receipt;
  return signReceipt(service, application, user.userId, {
    clientUserId: user.clientUserId,
    user_options_uid: record.selectionId,
    option_group_uid: placed.group.groupUid,
    option_key_uid: placed.key.keyUid,
    group: placed.group.name,
    option: placed.key.name,
    value,
    texts: {
      group: texts.group,
      group_description: texts.groupDescription,
      option: texts.key,
      option_description: texts.keyDescription,
      value: texts.values,
    },
    language: language?.name ?? null,
    language_tag: language?.tag ?? null,
    language_known: isLanguageKnown,
    revision: record.revision,
    created_at: formatTime(record.createdAt),
    saved_at: formatTime(record.updatedAt),
    by: authMethod,
  });
}
