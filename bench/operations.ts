import type { Operation } from './operation.ts';
import { createUser } from './operations/create-user.ts';
import { deleteUser } from './operations/delete-user.ts';
import { evaluateFlag, evaluateFlags } from './operations/evaluate-flags.ts';
import { findUsers } from './operations/find-users.ts';
import { getAccessToken } from './operations/get-access-token.ts';
import { getKey, getKeyUnchanged } from './operations/get-key.ts';
import { introspect } from './operations/introspect.ts';
import { listGroups } from './operations/list-groups.ts';
import { listKeys } from './operations/list-keys.ts';
import { preferencePage } from './operations/preference-page.ts';
import { effectiveSelections, readSelections } from './operations/read-selections.ts';
import { save, saveMany, saveReplace } from './operations/save.ts';

/** In the order of the table. To add one, create a file in operations/ and add a line here. */
export const operations: Operation[] = [
  listGroups,
  listKeys,
  getKey,
  getKeyUnchanged,
  createUser,
  getAccessToken,
  deleteUser,
  save,
  saveReplace,
  saveMany,
  readSelections,
  effectiveSelections,
  introspect,
  findUsers,
  evaluateFlag,
  evaluateFlags,
  preferencePage,
];
