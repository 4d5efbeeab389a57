import { isInnkeeperError } from '@innkeeper/client/manage';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type DraftEdit, draftQuery, type Tree, treeQuery } from '../../draft/queries.ts';
import { type Edit, isConflict, useEdit } from '../../draft/use-edit.ts';
import { useOnce } from '../../shell/use-once.ts';
import type { FieldConflict } from './merge.ts';

export type Conflict = { fields: FieldConflict[]; isGone: boolean; edits: DraftEdit[] };

type Wanted<T> = {
  /** What was typed together with what is in the draft now, and what collides; 'gone' when it is archived. */
  mergeInto(tree: Tree): { edit: Edit<T>; conflicts: FieldConflict[] } | 'gone';
  /** Mine, where the two collide. */
  force?: boolean;
};

const TRIES = 4;
const SHOWN = 3;

/**
 * Saves the input. Changes of others to something else are no reason to ask; to the same
 * thing, both are shown and nothing is lost.
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
        // Seen before anything was sent: the newest edits are the ones that were seen.
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
        await queries.fetchQuery({ ...treeQuery(clientId), staleTime: 0 });
      }
    }
  });
  const forget = () => {
    setConflict(undefined);
    setError(undefined);
  };
  return { save, isPending, conflict, error, forget };
}
