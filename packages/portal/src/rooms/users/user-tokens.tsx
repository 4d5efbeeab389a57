import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconKey, IconTicket } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Copyable } from '../../shell/copy.tsx';
import { Moment } from '../../shell/moment.tsx';
import { notifyProblem } from '../../shell/notify.tsx';
import { OnceDialog, ShownOnce } from '../../shell/once-dialog.tsx';
import { EmptyState } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';

const USER = '/manage/v1/applications/{clientId}/users/{userUid}';
type Token = { tokenId: string; issuedAt: string; expiresAt: string };

/** Valid access tokens: their expiry, never the tokens. */
export function UserTokens(props: { clientId: string; userUid: string; tokens: readonly Token[] }) {
  const { clientId, userUid, tokens } = props;
  const { t } = useTranslation('users');
  const queries = useQueryClient();
  const path = { clientId, userUid };
  const refresh = () => queries.invalidateQueries({ queryKey: ['application', clientId, 'users', userUid] });
  const revoking = useMutation({
    mutationFn: (tokenId: string | undefined) =>
      tokenId === undefined
        ? api.delete(`${USER}/tokens`, { path })
        : api.delete(`${USER}/tokens/{tokenId}`, { path: { ...path, tokenId } }),
    onSuccess: (_, tokenId) =>
      notifications.show({ message: tokenId === undefined ? t('tokens.allRevoked') : t('tokens.revoked') }),
    onError: notifyProblem,
    onSettled: refresh,
  });
  const revokeOnce = useMutateOnce(revoking);
  const issuing = useMutation({
    mutationFn: async () => (await api.post(`${USER}/special-token`, { path })).data,
    onError: notifyProblem,
  });
  const issueOnce = useMutateOnce(issuing);
  const confirm = (title: string, text: string, act: () => void) =>
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{text}</Text>,
      labels: { confirm: title, cancel: t('cancel', { ns: 'shell' }) },
      confirmProps: { color: 'red' },
      closeButtonProps: { 'aria-label': t('close', { ns: 'shell' }) },
      onConfirm: act,
    });

  return (
    <Stack>
      <Group>
        <Button
          variant="default"
          leftSection={<IconTicket size={16} aria-hidden />}
          loading={issuing.isPending}
          onClick={() => confirm(t('special.action'), t('special.text'), () => issueOnce())}
        >
          {t('special.action')}
        </Button>
        <Button
          variant="default"
          onClick={() => confirm(t('tokens.revokeAll'), t('tokens.revokeAllText'), () => revokeOnce(undefined))}
        >
          {t('tokens.revokeAll')}
        </Button>
      </Group>
      {tokens.length === 0 ? (
        <EmptyState icon={IconKey} title={t('tokens.none')}>
          {t('tokens.noneText')}
        </EmptyState>
      ) : (
        <Table.ScrollContainer minWidth={320} type="native">
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('tokens.issued')}</Table.Th>
                <Table.Th>{t('tokens.expires')}</Table.Th>
                <Table.Th visibleFrom="sm">{t('tokens.id')}</Table.Th>
                <Table.Th aria-label={t('actions')} />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tokens.map(({ tokenId, issuedAt, expiresAt }) => (
                <Table.Tr key={tokenId}>
                  <Table.Td>
                    <Moment at={issuedAt} />
                  </Table.Td>
                  <Table.Td>
                    <Moment at={expiresAt} />
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <Text size="xs" ff="monospace" c="dimmed">
                      {tokenId.slice(0, 36)}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="end">
                    <Button
                      size="compact-sm"
                      variant="default"
                      c="var(--mantine-color-red-text)"
                      loading={revoking.isPending && revoking.variables === tokenId}
                      onClick={() => confirm(t('tokens.revoke'), t('tokens.revokeText'), () => revokeOnce(tokenId))}
                    >
                      {t('tokens.revoke')}
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <OnceDialog opened={issuing.isSuccess} onClose={() => issuing.reset()} title={t('special.title')}>
        {issuing.data && (
          <ShownOnce onClose={() => issuing.reset()}>
            <Alert color="yellow" variant="light">
              {t('special.once')}
            </Alert>
            <Copyable value={issuing.data.specialToken} />
            <Text size="sm" c="dimmed">
              {t('special.expires')} <Moment at={issuing.data.expiresAt} />
            </Text>
          </ShownOnce>
        )}
      </OnceDialog>
    </Stack>
  );
}
