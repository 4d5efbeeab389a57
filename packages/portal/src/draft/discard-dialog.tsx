import { Button, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/client.ts';
import { DialogActions } from '../shell/dialog-actions.tsx';
import { focusHeading } from '../shell/page-header.tsx';
import { Problem } from '../shell/states.tsx';
import { useMutateOnce } from '../shell/use-once.ts';
import { ChangeList } from './change-list.tsx';
import { notifyDraft } from './notify-draft.ts';
import type { DraftState } from './queries.ts';

type Draft = NonNullable<DraftState['draft']>;

/** Says what would be lost: nothing that is published. */
export function DiscardDialog(props: { clientId: string; draft: Draft; opened: boolean; onClose(): void }) {
  const { clientId, draft, opened, onClose } = props;
  const { t } = useTranslation('catalog');
  const queries = useQueryClient();
  const [isDone, setIsDone] = useState(false);
  const discard = useMutation({
    // Discards what was shown, and nothing that someone added since.
    mutationFn: () =>
      api.delete('/manage/v1/applications/{clientId}/catalog/draft', { path: { clientId }, ifMatch: draft.etag }),
    onSuccess: () => {
      notifyDraft(t('discard.done'));
      setIsDone(true);
      onClose();
      focusHeading();
    },
    // The draft's content may be shown in any room.
    onSettled: () => queries.invalidateQueries({ queryKey: ['application', clientId] }),
  });
  const discardOnce = useMutateOnce(discard);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('discard.title')}
      // The button that opened the dialog disappears with the draft.
      returnFocus={!isDone}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text>{t('discard.text', { count: draft.changeCount })}</Text>
        <ChangeList changes={draft.edits.flatMap(({ changes }) => changes)} />
        <Problem error={discard.error} />
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('discard.keep')}
          </Button>
          <Button color="red" loading={discard.isPending} onClick={() => discardOnce()}>
            {t('discard.action')}
          </Button>
        </DialogActions>
      </Stack>
    </Modal>
  );
}
