import { Alert, Button, Checkbox, Group, ScrollArea, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMatchRoute } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan, useOwnLanguages } from '../api/access.ts';
import { api } from '../api/client.ts';
import { applicationQuery } from '../api/queries.ts';
import { DialogActions } from '../shell/dialog-actions.tsx';
import { FormDialog } from '../shell/form-dialog.tsx';
import { MainAct } from '../shell/main-act.tsx';
import { Moment } from '../shell/moment.tsx';
import { ErrorState, LoadingState, Problem } from '../shell/states.tsx';
import { useMutateOnce } from '../shell/use-once.ts';
import { BreakingChanges } from './breaking-changes.tsx';
import { ChangeList } from './change-list.tsx';
import { MissingTexts } from './missing-texts.tsx';
import { notifyPublished } from './next-step.tsx';
import { catalogKey, type DraftState, planQuery } from './queries.ts';
import { isConflict } from './use-edit.ts';
import { useKeyWords } from './use-key-words.ts';

type Props = {
  clientId: string;
  opened: boolean;
  onClose(): void;
  notice?: ReactNode;
  /** Opened by the Enter key in a list: a second Enter must not publish, so the note has the focus. */
  startsWithNote?: boolean;
};

/** What publishing changes, what it breaks and for whom, and what someone else published meanwhile. */
export function PublishDialog({ opened, ...props }: Props) {
  const { t } = useTranslation('catalog');
  return (
    <FormDialog opened={opened} onClose={props.onClose} title={t('publish.title')} size="xl">
      {opened && <Plan {...props} />}
    </FormDialog>
  );
}

function Plan(props: Omit<Props, 'opened'>) {
  const plan = useQuery(planQuery(props.clientId));
  if (plan.isPending) return <LoadingState />;
  if (plan.isLoadingError) return <ErrorState error={plan.error} retry={() => plan.refetch()} />;
  if (!plan.data.draft) return <Gone onClose={props.onClose} />;
  const { draft, revision } = plan.data;
  return <Ready {...props} draft={draft} revision={revision} />;
}

function Gone({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('catalog');
  return (
    <Stack>
      <Text>{t('publish.gone')}</Text>
      <Group justify="flex-end">
        <MainAct onClick={onClose}>{t('close')}</MainAct>
      </Group>
    </Stack>
  );
}

type Ready = Omit<Props, 'opened'> & { draft: NonNullable<DraftState['draft']>; revision: number };

function Ready({ clientId, onClose, notice, startsWithNote = false, draft, revision }: Ready) {
  const { t } = useTranslation('catalog');
  const can = useCan(clientId);
  const may = can('write') || draft.textsOnly;
  const own = useOwnLanguages(clientId);
  const queries = useQueryClient();
  const [agreed, setAgreed] = useState(false);
  const [over, setOver] = useState(false);
  const [note, setNote] = useState('');
  const { changes = [], breaking = [], missing = [] } = draft.plan ?? {};
  const isOutdated = draft.revisions.length > 0;
  const wordsOf = useKeyWords(clientId);
  const matches = useMatchRoute();
  const isTranslating = matches({ to: '/applications/$clientId/translations', params: { clientId } }) !== false;

  // When the changes are reloaded, consent is required again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state that was agreed to
  useEffect(() => {
    setAgreed(false);
    setOver(false);
  }, [draft.etag, revision]);

  const publish = useMutation({
    mutationFn: () =>
      api.post('/manage/v1/applications/{clientId}/catalog/draft/publish', {
        path: { clientId },
        ifMatch: draft.etag,
        body: { allowBreaking: agreed, note, ...(isOutdated && { over: revision }) },
      }),
    onSuccess: ({ data }) => {
      const isUnused = queries.getQueryData(applicationQuery(clientId).queryKey)?.counts.users === 0;
      // On the translations page, missing texts are already visible.
      const isLacking = !isTranslating && missing.some((each) => each.missing > 0);
      notifyPublished({
        clientId,
        message: t('publish.done', { revision: data.revision }),
        step: isLacking ? 'translate' : isUnused ? 'connect' : undefined,
      });
      onClose();
    },
    // Includes the catalog, and the application with its number of keys and revision.
    onSettled: (_data, error) =>
      isConflict(error)
        ? queries.invalidateQueries({ queryKey: catalogKey(clientId) })
        : queries.invalidateQueries({ queryKey: ['application', clientId] }),
  });
  const publishOnce = useMutateOnce(publish);
  const Act = startsWithNote ? Button : MainAct;
  const isReady = may && (breaking.length === 0 || agreed) && (!isOutdated || over);

  return (
    <Stack>
      {!may && (
        <Alert variant="light" color="yellow" icon={<IconLock aria-hidden />} title={t('publish.notYours')}>
          {own
            ? t('publish.otherLanguages', { languages: own.join(', ') })
            : t(draft.editsTextsOnly ? 'publish.overtaken' : 'publish.structure')}
        </Alert>
      )}
      {notice}
      {isOutdated && (
        <Alert
          variant="default"
          icon={<IconAlertTriangle color="var(--mantine-color-yellow-7)" aria-hidden />}
          title={t('publish.outdated')}
        >
          <Stack gap="xs">
            {draft.revisions.map((each) => (
              <div key={each.revision}>
                <Text size="sm" fw={600}>
                  {t('publish.revisionBy', { revision: each.revision, who: each.author })} ·{' '}
                  <Moment at={each.createdAt} />
                </Text>
                <ChangeList changes={each.changes} />
              </div>
            ))}
            <Checkbox
              disabled={!may}
              checked={over}
              onChange={(event) => setOver(event.currentTarget.checked)}
              label={t('publish.over', { revision })}
            />
          </Stack>
        </Alert>
      )}
      <BreakingChanges breaking={breaking} agreed={agreed} onAgree={setAgreed} />
      <div>
        <Title order={3} size="h5" mb={4}>
          {t('publish.changes', { count: changes.length })}
        </Title>
        <ScrollArea.Autosize mah="40vh" type="auto" viewportProps={{ tabIndex: 0 }}>
          <ChangeList changes={changes} wordsOf={wordsOf} />
        </ScrollArea.Autosize>
      </div>
      <MissingTexts clientId={clientId} missing={missing} onTranslate={isTranslating ? undefined : onClose} />
      {may && (
        <Textarea
          label={t('publish.note')}
          description={t('publish.noteAbout')}
          autosize
          minRows={1}
          maxRows={5}
          maxLength={1000}
          autoFocus={startsWithNote}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      )}
      {isConflict(publish.error) ? (
        <Alert
          variant="default"
          role="alert"
          icon={<IconAlertTriangle color="var(--mantine-color-yellow-7)" aria-hidden />}
        >
          {t('publish.changed')}
        </Alert>
      ) : (
        <Problem error={publish.error} />
      )}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Act
          disabled={!isReady || changes.length === 0}
          loading={publish.isPending}
          {...(breaking.length > 0 && { color: 'red' })}
          onClick={() => publishOnce()}
        >
          {t('publish.action')}
        </Act>
      </DialogActions>
    </Stack>
  );
}
