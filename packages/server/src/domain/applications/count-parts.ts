import type { Service } from '../service.ts';
import type { Application } from './application.ts';

export type ApplicationCounts = { users: number; languages: number; groups: number; keys: number; revision: number };

/**
 * How much of everything an application has. Counting a million users takes time, so use it for one application, not
 * for lists.
 */
export async function countParts(service: Service, { appId }: Application): Promise<ApplicationCounts> {
  const catalog = await service.catalogs.get(appId);
  return {
    users: await service.storage.applications.countUsers(appId),
    languages: catalog.languages.all.length,
    groups: catalog.groups.length,
    keys: catalog.keys.length,
    revision: catalog.revision,
  };
}
