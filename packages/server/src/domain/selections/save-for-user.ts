import type { Application } from '../applications/application.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import type { Service } from '../service.ts';
import { findUser, identifyUserToSave, type UserClaims, type UserToSave } from '../users/identify-user.ts';
import { countMatching, MAX_STEPS_INLINE, matchOnThread } from './match-patterns.ts';
import { Refusals } from './refusals.ts';
import { type SavedSelection, saveSelections, type WantedSelection } from './save-selections.ts';

export type SavedForUser = {
  user: UserToSave['user'];
  catalog: CompiledCatalog;
  wanted: readonly WantedSelection[];
  saved: readonly SavedSelection[];
};

export type ReadWanted = (
  user: UserToSave['user'],
  catalog: CompiledCatalog,
  refusals: Refusals,
) => readonly WantedSelection[];

/**
 * Saves what is wanted of the catalog for the user of the claims. A missing user is reported first, no matter what
 * else is wrong; but only then, or when the save itself finds nobody, is a look spent on it.
 */
export async function saveForUser(
  service: Service,
  application: Application,
  claims: UserClaims,
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  const { user, means, isNamed } = await identifyUserToSave(service, application, claims);
  try {
    const catalog = await service.catalogs.get(application.appId);
    const refusals = new Refusals();
    const wanted = readWanted(user, catalog, refusals);
    const isCostly = countMatching(wanted) > MAX_STEPS_INLINE;
    // An unknown user must not cost a match.
    if (isCostly && isNamed) await findUser(service, application, user.userId);
    const matches = isCostly ? await matchOnThread(service, user.appId, wanted) : undefined;
    const saved = await saveSelections(service, user, catalog, wanted, { means }, { refusals, matches });
    return { user, catalog, wanted, saved };
  } catch (error) {
    if (isNamed) await findUser(service, application, user.userId);
    throw error;
  }
}
