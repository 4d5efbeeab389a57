import { catalogProblems, readChange, toUpdate } from '../../domain/applications/change-application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readElsewhere, Type } from '../../schema.ts';
import { badParameter } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { viewApplication } from './application-view.ts';
import { APPLICATION, APPLICATION_EXAMPLE } from './examples.ts';
import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { ApplicationAnswer, SettingsPatch } from './schemas.ts';

const schema = {
  operationId: 'changeApplication',
  summary: 'Change the name or settings of an application',
  description: 'Changes all given settings or none. Others stay unchanged; null resets one to its default.',
  body: Type.Object({ name: Type.Optional(Type.String()), settings: Type.Optional(readElsewhere(SettingsPatch)) }),
  response: { 200: ApplicationAnswer },
  examples: {
    settings: {
      summary: 'A new name and one setting',
      params: APPLICATION,
      body: { name: 'My app', settings: { accessTokenTtl: '2h' } },
      status: 200,
      answer: {
        ...APPLICATION_EXAMPLE,
        name: 'My app',
        settings: { ...APPLICATION_EXAMPLE.settings, accessTokenTtl: 7200 },
        changedSettings: ['accessTokenTtl'],
      },
    },
    outOfRange: {
      summary: 'A lifetime that is too long',
      params: APPLICATION,
      body: { settings: { accessTokenTtl: '60d' } },
      status: 400,
      answer: {
        code: '9400',
        message: 'settings.accessTokenTtl must be from 1 minute to 30 days; got "60d".',
        errors: [{ field: 'settings.accessTokenTtl', message: 'must be from 1 minute to 30 days; got "60d"' }],
      },
    },
  },
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
