import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { type Breaking, BreakingChanges } from '../../draft/breaking-changes.tsx';
import { ChangeList } from '../../draft/change-list.tsx';
import { draftQuery } from '../../draft/queries.ts';
import { isConflict } from '../../draft/use-edit.ts';
import { MainAct } from '../../shell/main-act.tsx';
import { notifyProblem } from '../../shell/notify.tsx';
import { ErrorState, LoadingState, Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { comparisonQuery, revisionsKey } from './queries.ts';

const RESTORE = '/manage/v1/applications/{clientId}/revisions/{revision}/restore';

type Props = { clientId: string; revision: number; newest: number };

/** A menu in the list of revisions, buttons on the page of one. */
type Shape = 'buttons' | 'menu';

/** As a draft, to review and change before publishing; or immediately, as a new revision. */
export function RestoreButtons({ clientId, revision, newest, shape = 'buttons' }: Props & { shape?: Shape }) {
  const { t } = useTranslation('revisions');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asking, { open, close }] = useDisclosure();
  const draft = useMutation({
    mutationFn: () => api.post(RESTORE, { path: { clientId, revision }, query: { draft: true }, ifMatch: '*' }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['application', clientId] });
      notifications.show({ message: t('restore.drafted', { revision }) });
      await navigate({ to: '/applications/$clientId/catalog', params: { clientId }, search: {} });
    },
    onError: notifyProblem,
  });
  const draftOnce = useMutateOnce(draft);
  const changeCount = useQuery(draftQuery(clientId)).data?.draft?.changeCount ?? 0;
  const askToReplace = () =>
    modals.openConfirmModal({
      title: t('restore.replace'),
      children: t('restore.replaceText', { count: changeCount }),
      labels: { confirm: t('restore.asDraft'), cancel: t('cancel') },
      closeButtonProps: { 'aria-label': t('close') },
      onConfirm: () => draftOnce(),
    });
  const restoreDraft = changeCount > 0 ? askToReplace : () => draftOnce();
  return (
    <>
      {shape === 'buttons' ? (
        <>
          <Button variant="light" loading={draft.isPending} onClick={restoreDraft}>
            {t('restore.asDraft')}
          </Button>
          <Button variant="default" onClick={open}>
            {t('restore.asRevision')}
          </Button>
        </>
      ) : (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="xs" variant="default" loading={draft.isPending} aria-label={t('restore.which', { revision })}>
              {t('restore.short')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={restoreDraft}>{t('restore.asDraft')}</Menu.Item>
            <Menu.Item onClick={open}>{t('restore.asRevision')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <Modal
        opened={asking}
        onClose={close}
        size="lg"
        title={t('restore.title', { revision })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asking && <Restore clientId={clientId} revision={revision} newest={newest} onClose={close} />}
      </Modal>
    </>
  );
}

function Restore({ clientId, revision, newest, onClose }: Props & { onClose(): void }) {
  const { t } = useTranslation('revisions');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [agreed, setAgreed] = useState(false);
  const comparison = useQuery(comparisonQuery(clientId, newest, revision));
  const restore = useMutation({
    mutationFn: () =>
      api.post(RESTORE, {
        path: { clientId, revision },
        query: { allow_breaking: agreed },
        // Restores over the revision shown here, and nothing published since.
        ifMatch: `"${newest}"`,
      }),
    async onSuccess({ data }) {
      notifications.show({ color: 'green', message: t('restore.done', { revision: data.revision }) });
      onClose();
      await queries.invalidateQueries({ queryKey: ['application', clientId] });
      await navigate({ to: '/applications/$clientId/revisions', params: { clientId }, search: {} });
    },
    onError(error) {
      if (!isConflict(error)) return undefined;
      // The newer revision is compared instead; what it breaks was not agreed to.
      setAgreed(false);
      return queries.invalidateQueries({ queryKey: revisionsKey(clientId) });
    },
  });
  const restoreOnce = useMutateOnce(restore);
  const { error } = restore;
  const breaking =
    isInnkeeperError(error) && error.status === 409 ? (error.body.breaking as Breaking[] | undefined) : undefined;
  if (comparison.isPending) return <LoadingState />;
  if (comparison.isError) return <ErrorState error={comparison.error} retry={() => comparison.refetch()} />;
  return (
    <Stack>
      <Text>{t('restore.text', { revision, next: newest + 1 })}</Text>
      <ChangeList changes={comparison.data.changes} />
      {breaking ? (
        <BreakingChanges breaking={breaking} agreed={agreed} onAgree={setAgreed} />
      ) : (
        <Problem error={error} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <MainAct
          loading={restore.isPending}
          disabled={breaking !== undefined && !agreed}
          {...(breaking && { color: 'red' })}
          onClick={() => restoreOnce()}
        >
          {t('restore.action')}
        </MainAct>
      </Group>
    </Stack>
  );
}
