import { Badge, Box, Group, Paper, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LinkAnchor, LinkButton } from '../../shell/links.tsx';
import { Moment } from '../../shell/moment.tsx';
import type { Revision } from './queries.ts';
import { RestoreButtons } from './restore-buttons.tsx';
import classes from './revisions.module.css';

type Props = { clientId: string; revision: Revision; newest: number; mayRestore: boolean };

/** One entry of the history: who published what, and when. */
export function RevisionCard({ clientId, revision: given, newest, mayRestore }: Props) {
  const { revision, author, createdAt, note, changes } = given;
  const { t } = useTranslation('revisions');
  const shown = changes.slice(0, 3).map(({ path }) => path);
  return (
    <Paper withBorder p="md" component="li">
      <Group justify="space-between" gap="sm" align="flex-start">
        <Box miw={0} flex="1 1 240px">
          <Group gap="xs">
            <LinkAnchor fw={600} to="/applications/$clientId/revisions" params={{ clientId }} search={{ revision }}>
              {t('revision', { revision })}
            </LinkAnchor>
            {revision === newest && <Badge variant="light">{t('published')}</Badge>}
          </Group>
          <Text size="sm" c="dimmed">
            {author} · <Moment at={createdAt} />
          </Text>
          {note !== undefined && (
            <Text size="sm" mt={4} lineClamp={3} className={classes.note ?? ''}>
              {note}
            </Text>
          )}
          <Text size="sm" mt={4} {...(note !== undefined && { c: 'dimmed' })}>
            {t('changes', { count: changes.length })}
            {shown.length > 0 && `: ${shown.join(', ')}${changes.length > shown.length ? ' …' : ''}`}
          </Text>
        </Box>
        <Group gap="xs" flex="none" justify="flex-end">
          {mayRestore && revision !== newest && (
            <RestoreButtons clientId={clientId} revision={revision} newest={newest} shape="menu" />
          )}
          <LinkButton
            flex="none"
            size="xs"
            variant="default"
            to="/applications/$clientId/revisions"
            params={{ clientId }}
            search={{ from: revision - 1, to: revision }}
            aria-label={t('compare.with', { from: revision - 1, to: revision })}
          >
            {t('compare.short')}
          </LinkButton>
        </Group>
      </Group>
    </Paper>
  );
}
