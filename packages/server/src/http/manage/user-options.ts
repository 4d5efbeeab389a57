import { parseValue } from '../../domain/catalog/check-value.ts';
import type { PlacedKey } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { type DescribedOption, describeOptions } from '../../domain/selections/effective.ts';
import { findReceipt } from '../../domain/selections/receipts.ts';
import { saveForManager, unsetForManager } from '../../domain/selections/save-for-user.ts';
import type { ChangedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/identify-user.ts';
import { membersReadElsewhere, Nullable, Type } from '../../schema.ts';
import type { SelectionRecord } from '../../storage/port.ts';
import { readUuid } from '../../uuid.ts';
import { OptionsToSave, readWantedOptions, SELECTION_ERRORS } from '../options/save-user-options.ts';
import { ListResponse } from '../options/schemas.ts';
import { writeReceipt } from '../options/user-option.ts';
import { toListing, toPage } from '../paging.ts';
import { pageOf } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { EventShape, OF_USER, OptionShape, PageQuery } from './schemas.ts';
import { viewEvent, viewOption } from './views.ts';

const MAX_KEYS = 500;

/** Options of a user. */
export function userOptionRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/users/:userUid/options', {
    operationId: 'listManagedUserOptions',
    ...OF_USER,
    summary: 'List the selections of a user, and the defaults of other keys',
    querystring: PageQuery,
    response: { 200: ListResponse(OptionShape) },
    async handle({ readQuery, application, linked, manager, params }) {
      const page = pageOf(readQuery());
      const { userId } = await findUser(service, application, params.userUid);
      await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
      const options = await describeOptions(service, await service.catalogs.get(application.appId), userId);
      const listing = toListing(options, page, sizeOf);
      return linked({ ...listing, items: listing.items.map(viewOption) });
    },
  });

  applicationRoute('GET', '/users/:userUid/options/:userOptionsUid/receipt', {
    operationId: 'getManagedUserOptionReceipt',
    ...OF_USER,
    summary: 'Get a signed receipt of the last save of a user option',
    description:
      'It states what the user saw when they chose. The claims are those of GET /api/user_options/{user_options_uid}/receipt.',
    params: Type.Object({ ...OF_USER.params.properties, userOptionsUid: Type.String({ format: 'uuid' }) }),
    response: { 200: Type.Object({ receipt: Type.String({ description: 'a compact JWS' }) }) },
    errors: [...OF_USER.errors, 'selectionNotFound'],
    async handle(request) {
      const { application, manager, params } = request;
      const user = await findUser(service, application, params.userUid);
      await service.userReads.record({ actor: manager.author, appId: application.appId, userId: user.userId });
      const receipt = await findReceipt(service, user, params.userOptionsUid);
      if (!receipt) throw new InnkeeperError('selectionNotFound');
      return { receipt: await writeReceipt(service, application, receipt) };
    },
  });

  /** For support staff: open to all who may manage users. */
  applicationRoute('PUT', '/users/:userUid/options', {
    operationId: 'saveManagedUserOptions',
    ...OF_USER,
    summary: 'Save options of a user, all or none',
    description: "For support. The user's history and the audit log record who did it. Works for suspended users too.",
    body: Type.Object(membersReadElsewhere(OptionsToSave)),
    response: {
      200: Type.Object({ items: Type.Array(OptionShape), total: Type.Integer() }),
      412: Type.Object({ current: Nullable(OptionShape) }),
    },
    errors: [...OF_USER.errors, ...SELECTION_ERRORS],
    async handle({ application, manager, params, readBody }) {
      const body = readBody();
      const who = { userUid: params.userUid, actor: manager.author };
      try {
        const { wanted, saved } = await saveForManager(service, application, who, (_user, catalog, refusals) =>
          readWantedOptions(catalog, body, refusals),
        );
        const items = saved.map(({ record }, index) => view(wanted[index]?.placed as PlacedKey, record));
        return { items, total: items.length };
      } catch (error) {
        throw withCurrent(error);
      }
    },
  });

  applicationRoute('DELETE', '/users/:userUid/options', {
    operationId: 'unsetManagedUserOptions',
    ...OF_USER,
    summary: 'Unset options of a user',
    querystring: Type.Object({
      option_key_uid: Type.Array(Type.String({ format: 'uuid' }), {
        minItems: 1,
        maxItems: MAX_KEYS,
        description: 'repeatable',
      }),
    }),
    response: { 204: Type.Null({ description: 'The defaults apply again.' }) },
    errors: [...OF_USER.errors, 'keyNotFound', 'selectionNotFound'],
    async handle({ application, manager, params, readQuery }) {
      const { option_key_uid: uids } = readQuery();
      const { keyByUid } = await service.catalogs.get(application.appId);
      const keys = uids.map((uid) => keyByUid.get(readUuid(uid) ?? uid));
      const unknown = keys.flatMap((key) =>
        key ? [] : [{ field: 'option_key_uid', message: 'does not match any key' }],
      );
      if (unknown.length > 0) throw new InnkeeperError('keyNotFound', { fields: unknown });
      const who = { userUid: params.userUid, actor: manager.author };
      await unsetForManager(service, application, who, [...new Set(keys as PlacedKey[])]);
    },
  });

  applicationRoute('GET', '/users/:userUid/history', {
    operationId: 'listUserHistory',
    ...OF_USER,
    summary: "List the history of a user's selections, newest first",
    querystring: PageQuery,
    response: { 200: ListResponse(EventShape) },
    async handle({ readQuery, application, linked, manager, params }) {
      const page = pageOf(readQuery());
      const { userId } = await findUser(service, application, params.userUid);
      await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
      const catalog = await service.catalogs.get(application.appId);
      const { total, items } = await service.storage.selections.history(userId, page);
      const events = items.map((event) => viewEvent(catalog, event));
      return linked(toPage(events, total, page));
    },
  });
}

function sizeOf({ record }: DescribedOption): number {
  return (record?.value.length ?? 0) + (record?.texts?.length ?? 0);
}

function view(placed: PlacedKey, record: SelectionRecord) {
  return viewOption({ placed, record, value: parseValue(record.value) });
}

function withCurrent(error: unknown): unknown {
  if (!(error instanceof InnkeeperError) || error.error !== 'selectionChanged') return error;
  const { message, fields, more } = error;
  const { placed, record } = more as ChangedSelection;
  const current = record ? view(placed, record) : null;
  return new InnkeeperError('selectionChanged', { message, ...(fields && { fields }), more: { current } });
}
