import { isInnkeeperError } from '@innkeeper/client/manage';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { api } from '../../api/client.ts';
import { notifyProblem, notifyUndoable } from '../../shell/notify.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';

type Scalar = string | number | boolean;

/** A user's saved value for a key. */
export type Held = { value: Scalar | readonly Scalar[]; etag: string | null };

export type ChangeSelection = {
  save(key: NamedKey, value: readonly Scalar[], etag: string | null | undefined): Promise<void>;
  /** Resets to the default; can be undone. */
  unset(key: NamedKey, held: Held): void;
};

const OPTIONS = '/manage/v1/applications/{clientId}/users/{userUid}/options';
/** The record differs from the one that the page showed. */
export const isChangedMeanwhile = (error: unknown): boolean => isInnkeeperError(error) && error.code === '1014';

export function useChangeSelection(clientId: string, userUid: string): ChangeSelection {
  const { t } = useTranslation('users');
  const queries = useQueryClient();
  const path = { clientId, userUid };
  const reload = () => queries.invalidateQueries({ queryKey: ['application', clientId, 'users', userUid] });

  async function put(key: NamedKey, value: readonly Scalar[], etag?: string | null): Promise<void> {
    const option = { option_group_uid: key.groupUid, option_key_uid: key.keyUid, value: [...value] };
    try {
      await api.put(OPTIONS, { path, body: { options: [{ ...option, ...(etag && { if_match: etag }) }] } });
    } catch (error) {
      if (isChangedMeanwhile(error)) await reload();
      throw error;
    }
    await reload();
  }

  const unsetting = useMutation({
    mutationFn: async ({ key }: { key: NamedKey; held: Held }) => {
      await api.delete(OPTIONS, { path, query: { option_key_uid: [key.keyUid] } });
      await reload();
    },
    onSuccess: (_, { key, held }) => {
      notifyUndoable({
        message: t('selections.unsetDone', { key: key.label }),
        undo: () => put(key, [held.value].flat()).catch(notifyProblem),
      });
    },
    onError: notifyProblem,
  });
  const unsetOnce = useMutateOnce(unsetting);

  return {
    async save(key, value, etag) {
      await put(key, value, etag);
      notifications.show({ message: t('selections.saved', { key: key.label }) });
    },
    unset: (key, held) => unsetOnce({ key, held }),
  };
}
