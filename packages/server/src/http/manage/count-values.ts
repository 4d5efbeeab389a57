import { InnkeeperError } from '../../domain/errors.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import { countValues } from '../../domain/selections/count-values.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import { ValueAnswer } from '../options/schemas.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { KeyParams } from './schemas.ts';

const schema = {
  operationId: 'countValues',
  summary: 'Count the selections of each value of a key',
  description:
    'For a multiple-choice key each value counts separately, so the sum can exceed `total`. For an open key, the 200 most frequent values.',
  params: KeyParams,
  response: {
    200: Type.Object({
      keyUid: Type.String({ format: 'uuid' }),
      total: Type.Integer({ description: 'users with a selection' }),
      items: Type.Array(
        Type.Object({
          value: ValueAnswer,
          count: Type.Integer(),
          offered: Type.Boolean({ description: 'false: retired, or no longer in the catalog' }),
        }),
      ),
      otherValues: Type.Integer({
        description: 'number of further distinct values; without access "users" this includes values that users typed',
      }),
    }),
  },
  errors: ['catalogItemNotFound'] as const,
};

export function countValuesRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/keys/:keyUid/counts', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params }) => {
    const catalog = await service.catalogs.get(application.appId);
    const placed = catalog.keyByUid.get(params.keyUid as string);
    if (!placed) throw new InnkeeperError('catalogItemNotFound');
    const { key } = placed;
    const { total, values, otherValues } = await countValues(service.storage, application.appId, key);
    const mayRead = includesAccess(manager.accessTo(application.appId), 'users');
    // Without it, only values that the catalog lists, which come first.
    const shown = mayRead ? values : values.slice(0, key.values?.length ?? 0);
    const items = shown.map(({ value, count, allowed }) => ({
      value,
      count,
      offered: !key.archived && (key.values === null || allowed?.retired === false),
    }));
    return { keyUid: key.keyUid, total, items, otherValues: otherValues + values.length - shown.length };
  });
}
