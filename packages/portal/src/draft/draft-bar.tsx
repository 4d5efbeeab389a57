import { ActionIcon, Group, Paper, Text, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useCan } from '../api/access.ts';
import { api } from '../api/client.ts';
import { Moment } from '../shell/moment.tsx';
import { useOnce } from '../shell/use-once.ts';
import classes from './draft-bar.module.css';
import { EndDraft } from './end-draft.tsx';
import { type DraftEdit, type DraftState, draftQuery } from './queries.ts';
import { type Edit, useEdit, useTellConflict } from './use-edit.ts';

/** What is not published yet, with the way back and the way on. It is there in every room that edits the catalog. */
export function DraftBar({ clientId }: { clientId: string }) {
  const { data } = useQuery(draftQuery(clientId));
  if (!data?.draft || (data.draft.changeCount === 0 && !data.draft.undo && !data.draft.redo)) return null;
  return <OpenDraft clientId={clientId} draft={data.draft} />;
}

function OpenDraft({ clientId, draft }: { clientId: string; draft: NonNullable<DraftState['draft']> }) {
  const { t } = useTranslation('catalog');
  const can = useCan(clientId);
  const step = useEdit(clientId);
  const tellConflict = useTellConflict();

  const take = useOnce(async (kind: 'undo' | 'redo', about: DraftEdit | null) => {
    if (!about) return;
    const path = `/manage/v1/applications/{clientId}/catalog/draft/${kind}` as const;
    // Of the state that is shown: in a room without the tree, that is the bar's own.
    const edit: Edit<unknown> = (seen) =>
      api.post(path, { path: { clientId }, ifMatch: seen === '*' ? draft.etag : seen });
    await step
      .mutateAsync({ edit })
      .then(() => notifications.show({ message: t(`bar.${kind}Done`, { what: titleOf(about) }) }), tellConflict);
  });
  useHotkeys([
    ['mod+Z', () => void take('undo', draft.undo)],
    ['mod+shift+Z', () => void take('redo', draft.redo)],
  ]);

  return (
    <Paper withBorder shadow="sm" p="sm" className={classes.bar} role="region" aria-label={t('bar.title')}>
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600} size="sm" aria-live="polite">
            {t('bar.changes', { count: draft.changeCount })}
          </Text>
          <Text size="xs" c="dimmed">
            {t('bar.by', { who: draft.updatedBy })} · <Moment at={draft.updatedAt} />
            {draft.revisions.length > 0 && ` · ${t('bar.outdated')}`}
          </Text>
        </div>
        <Group gap="xs">
          {can('texts') && (
            <>
              <StepButton
                kind="undo"
                edit={draft.undo}
                busy={step.isPending}
                onClick={() => void take('undo', draft.undo)}
              />
              <StepButton
                kind="redo"
                edit={draft.redo}
                busy={step.isPending}
                onClick={() => void take('redo', draft.redo)}
              />
            </>
          )}
          <EndDraft clientId={clientId} draft={draft} />
        </Group>
      </Group>
    </Paper>
  );
}

function StepButton(props: { kind: 'undo' | 'redo'; edit: DraftEdit | null; busy: boolean; onClick(): void }) {
  const { kind, edit, busy, onClick } = props;
  const { t } = useTranslation('catalog');
  const label = edit
    ? t(`bar.${kind}What`, { what: titleOf(edit), who: edit.author })
    : t(kind === 'undo' ? 'bar.nothingToUndo' : 'bar.nothingToRedo');
  const Icon = kind === 'undo' ? IconArrowBackUp : IconArrowForwardUp;
  return (
    <Tooltip label={label} multiline maw={320}>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={label}
        aria-disabled={!edit}
        data-disabled={!edit || undefined}
        loading={busy}
        onClick={onClick}
      >
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function titleOf({ changes }: DraftEdit): string {
  const [first] = changes;
  return `${first?.path ?? ''}${changes.length > 1 ? ` +${changes.length - 1}` : ''}`;
}
