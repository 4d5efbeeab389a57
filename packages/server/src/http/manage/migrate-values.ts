import { migrateValues, migrationProblem, planMigration } from '../../domain/catalog/migrate-values.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { KeyParams } from './schemas.ts';

/** A request ends well before proxies give it up. */
const REQUEST_MS = 20_000;

const ScalarMember = (description: string) =>
  Type.Union([Type.Boolean(), Type.String(), Type.Number()], { description });

const schema = {
  operationId: 'migrateValues',
  summary: 'Replace a value in the selections of all users',
  description:
    'In a list, the new value replaces the old one, without duplicates. Selections change in small batches, with their history, while users keep saving. A request takes at most 20 seconds: repeat it until `remaining` is 0.',
  params: KeyParams,
  body: Type.Object({
    from: ScalarMember('the value to replace; it may be retired, or no longer in the catalog'),
    to: ScalarMember('an allowed value of the key'),
    dryRun: Type.Optional(Type.Boolean({ description: 'only count them', default: false })),
  }),
  response: {
    200: Type.Object({
      keyUid: Type.String({ format: 'uuid' }),
      planned: Type.Integer({ description: 'selections with the value when the request arrived' }),
      migrated: Type.Integer({ description: 'selections changed by this request' }),
      remaining: Type.Integer({ description: 'selections that still have it' }),
    }),
  },
  errors: ['catalogItemNotFound', 'manageBadRequest'] as const,
};

export function migrateValuesRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/catalog/keys/:keyUid/migrate', schema } as const;
  applicationRoute(app, service, operation, async ({ application: { appId }, manager, params, readBody }) => {
    const { from, to, dryRun = false } = readBody();
    await service.refresh();
    const catalog = await service.catalogs.get(appId);
    const placed = catalog.keyByUid.get((params.keyUid as string).toLowerCase());
    if (!placed) throw new InnkeeperError('catalogItemNotFound');
    const wanted = { placed, from, to };
    const problem = migrationProblem(wanted);
    if (problem) throw refuse(problem.field, problem.message);
    const { selections: planned } = await planMigration(service.storage, appId, wanted);
    const { keyUid } = placed.key;
    if (dryRun) return { keyUid, planned, migrated: 0, remaining: planned };
    const end = performance.now() + REQUEST_MS;
    const isOver = () => performance.now() > end;
    const done = await migrateValues(service.storage, appId, catalog, wanted, {
      now: service.now,
      actor: manager.author,
      isOver,
    });
    return { keyUid, planned, ...done };
  });
}
