import { isInnkeeperError } from '@innkeeper/client/manage';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type DraftEdit, draftQuery, type Tree, treeQuery } from '../../draft/queries.ts';
import { type Edit, isConflict, useEdit } from '../../draft/use-edit.ts';
import { useOnce } from '../../shell/use-once.ts';
import type { FieldConflict } from './merge.ts';

export type Conflict = { fields: FieldConflict[]; isGone: boolean; edits: DraftEdit[] };

type Wanted<T> = {
  /** The input merged with the current draft, and the conflicts; 'gone' if the item is archived. */
  mergeInto(tree: Tree): { edit: Edit<T>; conflicts: FieldConflict[] } | 'gone';
  /** Whether mine wins on conflict. */
  force?: boolean;
};

const TRIES = 4;
const SHOWN = 3;

/**
 * Saves the input. If others changed something else, it does not ask; if they changed the same, both sides are shown
 * and nothing is lost.
 */
export function useMergedSave<T>(clientId: string, tree: Tree) {
  const queries = useQueryClient();
  const { mutateAsync, isPending } = useEdit<T>(clientId);
  const [conflict, setConflict] = useState<Conflict>();
  const [error, setError] = useState<unknown>();

  const save = useOnce(async ({ mergeInto, force = false }: Wanted<T>): Promise<boolean> => {
    setConflict(undefined);
    setError(undefined);
    let edits: DraftEdit[] = [];
    for (let tries = 1; ; tries++) {
      const held = queries.getQueryData(treeQuery(clientId).queryKey);
      const merged = mergeInto(held?.tree ?? tree);
      const isGone = merged === 'gone';
      if (isGone || (merged.conflicts.length > 0 && !force)) {
        // Read before anything is sent: the newest edits are those that the user has seen.
        const seen = queries.getQueryData(draftQuery(clientId).queryKey)?.draft?.edits.slice(0, SHOWN) ?? [];
        setConflict({ fields: isGone ? [] : merged.conflicts, isGone, edits: edits.length > 0 ? edits : seen });
        return false;
      }
      try {
        await mutateAsync({ edit: merged.edit });
        return true;
      } catch (problem) {
        if (!isConflict(problem) || tries === TRIES) {
          setError(problem);
          return false;
        }
        edits = isInnkeeperError(problem) ? ((problem.body.edits as DraftEdit[] | undefined) ?? []) : [];
      }
      try {
        await queries.fetchQuery({ ...treeQuery(clientId), staleTime: 0 });
      } catch (problem) {
        setError(problem);
        return false;
      }
    }
  });
  const forget = () => {
    setConflict(undefined);
    setError(undefined);
  };
  return { save, isPending, conflict, error, forget };
}
