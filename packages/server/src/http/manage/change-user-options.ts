import type { Scalar } from '../../domain/catalog/catalog.ts';
import type { PlacedKey } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { saveForManager, unsetForManager } from '../../domain/selections/save-for-manager.ts';
import type { ChangedSelection } from '../../domain/selections/save-selections.ts';
import type { Service } from '../../domain/service.ts';
import { readUuid } from '../../domain/users/user-code.ts';
import { membersReadElsewhere, Type } from '../../schema.ts';
import type { SelectionRecord } from '../../storage/port.ts';

import { SELECTION_ERRORS } from '../options/save-user-option.ts';
import { OptionsToSave, readWantedOptions } from '../options/save-user-options.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { Nullable, OptionShape, UserParams } from './schemas.ts';
import { viewOption } from './views.ts';

const MAX_KEYS = 500;

const saveSchema = {
  operationId: 'saveManagedUserOptions',
  summary: 'Save options of a user, all or none',
  description: "For support. The user's history and the audit record who did it. Works for suspended users too.",
  params: UserParams,
  body: Type.Object(membersReadElsewhere(OptionsToSave)),
  response: {
    200: Type.Object({ items: Type.Array(OptionShape), total: Type.Integer() }),
    412: Type.Object({ current: Nullable(OptionShape) }),
  },
  errors: ['userNotFound', ...SELECTION_ERRORS] as const,
};

const unsetSchema = {
  operationId: 'unsetManagedUserOptions',
  summary: 'Unset options of a user',
  params: UserParams,
  querystring: Type.Object({
    option_key_uid: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: MAX_KEYS,
      description: 'repeatable',
    }),
  }),
  response: { 204: Type.Null({ description: 'The defaults apply again.' }) },
  errors: ['userNotFound', 'keyNotFound', 'selectionNotFound'] as const,
};

/** What support does for a user: by everybody who may manage users. */
export function changeUserOptionsRoutes(app: Routes, service: Service): void {
  const path = '/users/:userUid/options';
  applicationRoute(
    app,
    service,
    { method: 'PUT', path, access: 'users', schema: saveSchema },
    async ({ application, manager, params, readBody }) => {
      const body = readBody();
      const who = { userUid: params.userUid as string, actor: manager.author };
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
  );

  applicationRoute(
    app,
    service,
    { method: 'DELETE', path, access: 'users', schema: unsetSchema },
    async ({ application, manager, params, readQuery }) => {
      const { option_key_uid: uids } = readQuery();
      const { keyByUid } = await service.catalogs.get(application.appId);
      const keys = uids.map((uid) => keyByUid.get(readUuid(uid) ?? uid));
      const unknown = keys.flatMap((key) =>
        key ? [] : [{ field: 'option_key_uid', message: 'does not match any key' }],
      );
      if (unknown.length > 0) throw new InnkeeperError('keyNotFound', { fields: unknown });
      const who = { userUid: params.userUid as string, actor: manager.author };
      await unsetForManager(service, application, who, [...new Set(keys as PlacedKey[])]);
      return undefined;
    },
  );
}

function view(placed: PlacedKey, record: SelectionRecord) {
  return viewOption({ placed, record, value: JSON.parse(record.value) as Scalar | Scalar[] });
}

function withCurrent(error: unknown): unknown {
  if (!(error instanceof InnkeeperError) || error.error !== 'selectionChanged') return error;
  const { message, fields, more } = error;
  const { placed, record } = more as ChangedSelection;
  const current = record ? view(placed, record) : null;
  return new InnkeeperError('selectionChanged', { message, ...(fields && { fields }), more: { current } });
}
