import { Button, Group, Loader, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCloudOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { draftQuery } from '../../draft/queries.ts';
import { problemText } from '../../shell/problem-text.ts';
import type { SheetState } from './sheet-state.ts';

/** Whether all input is saved, and if not, why and what to do. */
export function SaveState(props: {
  clientId: string;
  state: SheetState;
  onRetry: () => void;
  onConflicts: () => void;
  onRefused: () => void;
}) {
  const { t } = useTranslation('translations');
  const { unsaved, isSaving, failure, conflicts, refused, undoable, redoable } = props.state;
  const { data } = useQuery(draftQuery(props.clientId));
  // The draft is read again only some time after a text was saved to it.
  const hasDraft = Boolean(data?.draft ?? undoable ?? redoable);
  // Those that need no decision.
  const waiting = unsaved - conflicts.length - refused.length;
  return (
    <Group gap="sm" aria-live="polite" role="status" justify="flex-end">
      {conflicts.length > 0 && (
        <Button
          size="compact-sm"
          color="red"
          variant="light"
          leftSection={<IconAlertTriangle size={16} aria-hidden />}
          onClick={props.onConflicts}
        >
          {t('save.conflicts', { count: conflicts.length })}
        </Button>
      )}
      {refused.length > 0 && (
        <Button size="compact-sm" color="red" variant="light" onClick={props.onRefused}>
          {t('save.refused', { count: refused.length })}
        </Button>
      )}
      {failure && waiting > 0 ? (
        // Around the button, so that the keyboard reaches it.
        <Tooltip label={problemText(failure.error)} multiline maw={320}>
          <Group gap={6}>
            <Group gap={6} c="red">
              <IconCloudOff size={18} aria-hidden />
              <Text size="sm">{t(failure.again ? 'save.failed' : 'save.stopped', { count: waiting })}</Text>
            </Group>
            <Button size="compact-sm" variant="default" onClick={props.onRetry}>
              {t('save.now')}
            </Button>
          </Group>
        </Tooltip>
      ) : isSaving ? (
        <Group gap={6}>
          <Loader size={14} />
          <Text size="sm" c="dimmed">
            {t('save.saving')}
          </Text>
        </Group>
      ) : (
        unsaved === 0 &&
        hasDraft && (
          <Group gap={6} c="dimmed">
            <IconCheck size={16} aria-hidden />
            <Text size="sm">{t('save.saved')}</Text>
          </Group>
        )
      )}
    </Group>
  );
}
