import { randomUUID } from 'node:crypto';
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
  /** The groups that the link shows and that still exist. */
  groups: readonly Group[];
  link: LinkContent;
};

/** Longer than looking up a link usually takes. */
const FAILURE_MS = 10;

/**
 * Every problem with a link, its user or its application looks the same: the link does not work. The time is the same
 * too: a made-up link is looked up as if it belonged to a user, and every failure waits for the same time.
 */
export async function openLink(service: Service, token: string): Promise<OpenedLink> {
  const timing = Promise.withResolvers<void>();
  const timer = setTimeout(timing.resolve, FAILURE_MS);
  try {
    const opened = await lookUp(service, token);
    if (opened) return opened;
    await timing.promise;
    throw invalid();
  } finally {
    clearTimeout(timer);
  }
}

async function lookUp(service: Service, token: string): Promise<OpenedLink | undefined> {
  const link = readLink(service.keyring, token);
  const { appId, userId } = link ?? { appId: 0, userId: randomUUID() };
  const { users } = service.storage;
  const [user, generation] = await Promise.all([users.find(appId, userId), users.linkGeneration(appId, userId)]);
  if (!link || link.expiresAt <= service.now()) return undefined;
  if (user?.status !== 'active' || generation !== link.generation) return undefined;
  const application = await findApplication(service, appId);
  if (!application) return undefined;
  const catalog = await service.catalogs.get(appId);
  const shown = new Set(link.groups);
  const groups = catalog.groups.filter(({ groupUid }) => shown.size === 0 || shown.has(groupMark(groupUid)));
  return { application, user, catalog, groups, link };
}

/** It may have just been created in another process. */
async function findApplication({ applications, refresh }: Service, appId: number): Promise<Application | undefined> {
  const known = applications.peekById(appId);
  if (known) return known;
  await refresh();
  return applications.peekById(appId);
}

function invalid(): InnkeeperError {
  return new InnkeeperError('preferenceLinkInvalid');
}

/** Saves like any other request. */
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
