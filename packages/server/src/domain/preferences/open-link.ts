import type { UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { Group } from '../catalog/catalog.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import { type ReadWanted, type SavedForUser, saveWanted } from '../selections/save-for-user.ts';
import type { Service } from '../service.ts';
import { groupMark, type LinkContent, readLink } from './link-token.ts';

export type OpenedLink = {
  application: Application;
  user: UserRecord;
  catalog: CompiledCatalog;
  /** Those that the link shows and that there are. */
  groups: readonly Group[];
  link: LinkContent;
};

/** Every problem with a link, its user or its application looks the same: the link does not work. */
export async function openLink(service: Service, token: string): Promise<OpenedLink> {
  const link = readLink(service.keyring, token);
  if (!link || link.expiresAt <= service.now()) throw invalid();
  const application = await findApplication(service, link.appId);
  if (!application) throw invalid();
  const { users } = service.storage;
  const user = await users.find(link.appId, link.userId);
  if (user?.status !== 'active') throw invalid();
  if ((await users.linkGeneration(link.appId, link.userId)) !== link.generation) throw invalid();
  const catalog = await service.catalogs.get(link.appId);
  const shown = new Set(link.groups);
  const groups = catalog.groups.filter(({ groupUid }) => shown.size === 0 || shown.has(groupMark(groupUid)));
  return { application, user, catalog, groups, link };
}

/** It may have been created a moment ago, in another process. */
async function findApplication({ applications, refresh }: Service, appId: number): Promise<Application | undefined> {
  const known = applications.peekById(appId);
  if (known) return known;
  await refresh();
  return applications.peekById(appId);
}

function invalid(): InnkeeperError {
  return new InnkeeperError('preferenceLinkInvalid');
}

/** The same act as every other save. */
export async function saveByLink(
  service: Service,
  { user }: OpenedLink,
  means: 'preference_link' | 'unsubscribe',
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  try {
    return await saveWanted(service, user, () => ({ means }), readWanted);
  } catch (error) {
    // Deleted or suspended since the link was opened.
    const isGone = error instanceof InnkeeperError && ['profileUserNotFound', 'userSuspended'].includes(error.error);
    throw isGone ? invalid() : error;
  }
}
