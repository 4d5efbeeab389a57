import { isDeepStrictEqual } from 'node:util';
import type { Application } from '../../domain/applications/application.ts';
import { countParts } from '../../domain/applications/count-parts.ts';
import { SETTING_NAMES, SETTINGS } from '../../domain/applications/settings.ts';
import type { Manager } from '../../domain/manage/manager.ts';
import type { Service } from '../../domain/service.ts';
import { formatTime } from '../time.ts';
import { viewSecrets } from './views.ts';

/** An application with its settings as they are in force. */
export async function viewApplication(service: Service, manager: Manager, application: Application) {
  const { appId, clientId, name, createdAt, settings } = application;
  return {
    clientId,
    name,
    createdAt: formatTime(createdAt),
    access: manager.accessTo(appId),
    settings,
    changedSettings: SETTING_NAMES.filter(
      (setting) => !isDeepStrictEqual(settings[setting], SETTINGS[setting].default),
    ),
    secrets: viewSecrets(application, await service.storage.applications.secretUses(appId), service.now()),
    counts: await countParts(service, application),
  };
}
