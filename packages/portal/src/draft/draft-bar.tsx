import { ActionIcon, Group, Paper, Text, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useCan } from '../api/access.ts';
import { api } from '../api/client.ts';
import { Moment } from '../shell/moment.tsx';
import { useOnce } from '../shell/use-once.ts';
import classes from './draft-bar.module.css';
import { EndDraft } from './end-draft.tsx';
import { notifyDraft } from './notify-draft.ts';
import { type DraftEdit, type DraftState, draftQuery } from './queries.ts';
import { type Edit, editsDone, useEdit, useNotifyConflict } from './use-edit.ts';

/** Unpublished changes, with undo and publish. Shown in every room that edits the catalog. */
export function DraftBar({ clientId }: { clientId: string }) {
  const { data } = useQuery(draftQuery(clientId));
  const { take, isTaking } = useSteps(clientId);
  if (!data?.draft || (data.draft.changeCount === 0 && !data.draft.undo && !data.draft.redo)) return null;
  return <OpenDraft clientId={clientId} draft={data.draft} take={take} isTaking={isTaking} />;
}

type Kind = 'undo' | 'redo';

/** Undo and redo, also by keyboard, which works before the first edit is saved and the bar appears. */
function useSteps(clientId: string): { take(kind: Kind): Promise<void>; isTaking: boolean } {
  const { t } = useTranslation('catalog');
  const queries = useQueryClient();
  const step = useEdit(clientId);
  const notifyConflict = useNotifyConflict();
  const can = useCan(clientId);
  const take = useOnce(async (kind: Kind) => {
    if (!can('texts')) return;
    // An edit that is still being saved is the one to undo.
    await editsDone(queries, clientId);
    const draft = queries.getQueryData(draftQuery(clientId).queryKey)?.draft;
    const about = draft?.[kind];
    if (!about) return;
    const path = `/manage/v1/applications/{clientId}/catalog/draft/${kind}` as const;
    // Based on the state that is shown: in a room without the tree, that is the bar's own.
    const edit: Edit<unknown> = (seen) =>
      api.post(path, { path: { clientId }, ifMatch: seen === '*' ? draft.etag : seen });
    await step
      .mutateAsync({ edit })
      .then(() => notifyDraft(t(`bar.${kind}Done`, { what: titleOf(about) })), notifyConflict);
  });
  useHotkeys([
    ['mod+Z', () => void take('undo')],
    ['mod+shift+Z', () => void take('redo')],
  ]);
  return { take, isTaking: step.isPending };
}

type Open = ReturnType<typeof useSteps> & { clientId: string; draft: NonNullable<DraftState['draft']> };

function OpenDraft({ clientId, draft, take, isTaking }: Open) {
  const { t } = useTranslation('catalog');
  const can = useCan(clientId);
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
          {can('texts') &&
            (['undo', 'redo'] as const).map((kind) => (
              <StepButton key={kind} kind={kind} edit={draft[kind]} busy={isTaking} onClick={() => void take(kind)} />
            ))}
          <EndDraft clientId={clientId} draft={draft} />
        </Group>
      </Group>
    </Paper>
  );
}

function StepButton(props: { kind: Kind; edit: DraftEdit | null; busy: boolean; onClick(): void }) {
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
