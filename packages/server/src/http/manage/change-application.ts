import { catalogProblems, readChange, toUpdate } from '../../domain/applications/change-application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readElsewhere, Type } from '../../schema.ts';
import { badParameter } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { viewApplication } from './application-view.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { ApplicationAnswer, SettingsPatch } from './schemas.ts';

const schema = {
  operationId: 'changeApplication',
  summary: 'Change the name or settings of an application',
  description: 'Changes all given settings or none. Others stay unchanged; null resets one to its default.',
  body: Type.Object({ name: Type.Optional(Type.String()), settings: Type.Optional(readElsewhere(SettingsPatch)) }),
  response: { 200: ApplicationAnswer },
};

export function changeApplicationRoute(app: Routes, service: Service): void {
  const operation = { method: 'PATCH', path: '', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ manager, application, readBody }) => {
    const { name, settings = {} } = readBody();
    if (settings === null || typeof settings !== 'object' || Array.isArray(settings)) {
      throw refuse('settings', 'must be an object');
    }
    if ('name' in settings) throw refuse('settings.name', 'is not a setting of an application');
    const read = readChange([...(name === undefined ? [] : [['name', name] as const]), ...Object.entries(settings)]);
    const catalog = await service.catalogs.get(application.appId);
    const problems = 'problems' in read ? read.problems : catalogProblems(read.change, catalog);
    if ('problems' in read || problems.length > 0) {
      throw badParameter(
        problems.map(({ field, message }) => ({ field: field === 'name' ? field : `settings.${field}`, message })),
      );
    }
    const outcome = await service.storage.applications.update(application.appId, toUpdate(read.change));
    if (outcome === 'unknown') throw new InnkeeperError('applicationNotFound');
    await service.refresh();
    const changed = await service.applications.findByClientId(application.clientId);
    if (!changed) throw new InnkeeperError('applicationNotFound');
    return viewApplication(service, manager, changed);
  });
}
