import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Moment } from '../../shell/moment.tsx';
import { notifyProblem } from '../../shell/notify.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import classes from './credentials.module.css';
import { RotateDialog } from './rotate-dialog.tsx';

export type Secret = { fingerprint: string; createdAt: string; expiresAt: string | null; lastUsedAt: string | null };

/** Secrets by their fingerprints: only the application knows the secrets themselves. */
export function Secrets(props: { clientId: string; secrets: readonly Secret[]; mayChange: boolean }) {
  const { clientId, secrets, mayChange } = props;
  const { t } = useTranslation('credentials');
  const queries = useQueryClient();
  const [rotating, { open, close }] = useDisclosure();
  const previous = secrets.find(({ expiresAt }) => expiresAt !== null);
  const ending = useMutation({
    mutationFn: () => api.delete('/manage/v1/applications/{clientId}/secrets/previous', { path: { clientId } }),
    onSuccess: () => notifications.show({ message: t('secrets.ended') }),
    onError: notifyProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['application', clientId] }),
  });
  const endOnce = useMutateOnce(ending);
  const askToEnd = ({ lastUsedAt }: Secret) =>
    modals.openConfirmModal({
      title: t('secrets.end'),
      children: (
        <Stack gap="xs">
          <Text size="sm">{t('secrets.endText')}</Text>
          <Text size="sm" fw={600}>
            {t('secrets.lastUsed')}: {lastUsedAt === null ? t('secrets.never') : <Moment at={lastUsedAt} />}
          </Text>
        </Stack>
      ),
      labels: { confirm: t('secrets.end'), cancel: t('cancel', { ns: 'shell' }) },
      confirmProps: { color: 'red' },
      closeButtonProps: { 'aria-label': t('close', { ns: 'shell' }) },
      onConfirm: () => endOnce(),
    });

  return (
    <Stack>
      <Table.ScrollContainer minWidth={280} type="native">
        <Table verticalSpacing="xs" className={classes.secrets}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('secrets.fingerprint')}</Table.Th>
              <Table.Th visibleFrom="xs">{t('secrets.created')}</Table.Th>
              <Table.Th>{t('secrets.lastUsed')}</Table.Th>
              <Table.Th>{t('secrets.goodUntil')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {secrets.map(({ fingerprint, createdAt, expiresAt, lastUsedAt }) => (
              <Table.Tr key={fingerprint}>
                <Table.Td>
                  <Text size="sm" ff="monospace">
                    {fingerprint}
                  </Text>
                </Table.Td>
                <Table.Td visibleFrom="xs">
                  <Moment at={createdAt} />
                </Table.Td>
                <Table.Td className={classes.whole}>
                  {lastUsedAt === null ? (
                    <Text c="dimmed" inherit>
                      {t('secrets.never')}
                    </Text>
                  ) : (
                    <Moment at={lastUsedAt} />
                  )}
                </Table.Td>
                <Table.Td className={classes.whole}>
                  {expiresAt === null ? (
                    <Badge variant="light" tt="none">
                      {t('secrets.current')}
                    </Badge>
                  ) : (
                    <Moment at={expiresAt} />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {mayChange && (
        <Group>
          <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={open}>
            {t('rotate.action')}…
          </Button>
          {previous && (
            <Button variant="default" loading={ending.isPending} onClick={() => askToEnd(previous)}>
              {t('secrets.end')}…
            </Button>
          )}
        </Group>
      )}
      <RotateDialog clientId={clientId} hasPrevious={previous !== undefined} opened={rotating} onClose={close} />
    </Stack>
  );
}
