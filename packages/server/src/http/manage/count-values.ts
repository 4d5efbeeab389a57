import { InnkeeperError } from '../../domain/errors.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import { countValues } from '../../domain/selections/count-values.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import { ValueAnswer } from '../options/schemas.ts';
import type { Routes } from '../server/routes.ts';
import { THEME_KEY } from './examples.ts';
import { applicationRoute } from './manage-route.ts';
import { KeyParams } from './schemas.ts';

const schema = {
  operationId: 'countValues',
  summary: 'See how users chose: for each value of a key, how many have it',
  description:
    'Of a key that takes several values, each is counted for itself, so the counts add up to more than `total`. Of an open key, the 200 that most have.',
  params: KeyParams,
  response: {
    200: Type.Object({
      keyUid: Type.String({ format: 'uuid' }),
      total: Type.Integer({ description: 'users who chose' }),
      items: Type.Array(
        Type.Object({
          value: ValueAnswer,
          count: Type.Integer(),
          offered: Type.Boolean({ description: 'false: retired, or no longer in the catalog' }),
        }),
      ),
      otherValues: Type.Integer({
        description:
          'how many more different values there are; without access "users", values that users typed are among them',
      }),
    }),
  },
  errors: ['catalogItemNotFound'] as const,
  examples: {
    theme: {
      summary: 'One user chose',
      params: THEME_KEY,
      status: 200,
      answer: {
        keyUid: EXAMPLE.keyUid,
        total: 1,
        items: [
          { value: 'system', count: 0, offered: true },
          { value: 'light', count: 0, offered: true },
          { value: 'dark', count: 1, offered: true },
        ],
        otherValues: 0,
      },
    },
  },
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
