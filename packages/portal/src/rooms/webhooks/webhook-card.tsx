import { Badge, Button, Card, Group, Stack, Switch, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { ConfirmByTyping } from '../../shell/confirm-by-typing.tsx';
import { Moment } from '../../shell/moment.tsx';
import { OnceDialog } from '../../shell/once-dialog.tsx';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { type Webhook, webhooksQuery } from './queries.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { SecretShown } from './secret-shown.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

type Props = { clientId: string; webhook: Webhook; mayChange: boolean; onDeliveries: (() => void) | undefined };

/** One webhook, the state of its deliveries, and what can be done with it. */
export function WebhookCard({ clientId, webhook, mayChange, onDeliveries }: Props) {
  const { t, i18n } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  const client = useQueryClient();
  const [opened, setOpened] = useState<'edit' | 'replay' | 'delete'>();
  const dialogs = { edit: () => setOpened('edit'), replay: () => setOpened('replay'), end: () => setOpened(undefined) };
  const { webhookId, url, types, description, maxPerSecond, enabled, offReason } = webhook;
  const { recent, lastSuccessAt, failingSince } = webhook;
  const hasPrevious = webhook.previousSecretExpiresAt !== null;
  const path = { clientId, webhookId };
  const onSettled = () => client.invalidateQueries({ queryKey: webhooksQuery(clientId).queryKey });
  const test = useMutation({
    mutationFn: async () =>
      (await api.post('/manage/v1/applications/{clientId}/webhooks/{webhookId}/test', { path })).data,
    onSuccess: ({ state, status, problem }) =>
      notifications.show({
        color: state === 'succeeded' ? 'green' : 'red',
        message:
          state === 'succeeded'
            ? t('test.done', { status })
            : t('test.failed', { why: status ?? (problem && t(`problem.${problem}`)) }),
      }),
    onSettled,
  });
  const change = useMutation({
    mutationFn: (body: { enabled: boolean }) =>
      api.patch('/manage/v1/applications/{clientId}/webhooks/{webhookId}', { path, body }),
    onSettled,
  });
  const rotate = useMutation({
    mutationFn: async () => {
      // The question below says that the previous secret is revoked. One that someone else created meanwhile was not
      // mentioned, so revoking it is refused.
      const input = { path, body: { revokePrevious: hasPrevious } };
      return (await api.post('/manage/v1/applications/{clientId}/webhooks/{webhookId}/rotate-secret', input)).data;
    },
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => api.delete('/manage/v1/applications/{clientId}/webhooks/{webhookId}', { path }),
    onSettled,
  });
  const [testOnce, changeOnce] = [useMutateOnce(test), useMutateOnce(change)];
  const [rotateOnce, removeOnce] = [useMutateOnce(rotate), useMutateOnce(remove)];
  const askToRevoke = () =>
    modals.openConfirmModal({
      title: t('rotate'),
      children: t('rotateText'),
      labels: { confirm: t('rotate'), cancel: shell('cancel') },
      confirmProps: { color: 'red' },
      closeButtonProps: { 'aria-label': shell('close') },
      onConfirm: () => rotateOnce(),
    });
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Card withBorder component="article" aria-label={url}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} miw={0} flex="1 1 260px">
            <Group gap="xs">
              <Text fw={600} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {url}
              </Text>
              <Health webhook={webhook} />
            </Group>
            {description !== '' && <Text size="sm">{description}</Text>}
            <Text size="sm" c="dimmed">
              {types.length === 0 ? t('allTypes') : types.join(', ')}
              {maxPerSecond !== null && ` · ${t('limited', { rate: number.format(maxPerSecond) })}`}
            </Text>
          </Stack>
          {mayChange && (
            <Switch
              label={t('enabled')}
              checked={enabled}
              disabled={change.isPending}
              onChange={(event) => changeOnce({ enabled: event.currentTarget.checked })}
            />
          )}
        </Group>
        <Text size="sm" c="dimmed" component="div">
          {t('lastSuccess')} {lastSuccessAt === null ? t('never') : <Moment at={lastSuccessAt} />}
          {recent.deliveries > 0 &&
            ` · ${t('recent', { failed: number.format(recent.failed), of: number.format(recent.deliveries) })}`}
          {recent.pending > 0 && ` · ${t('pending', { pending: number.format(recent.pending) })}`}
        </Text>
        {offReason !== null && offReason !== 'manual' && (
          <Text size="sm" c="red">
            {t(`off.${offReason}`)}
          </Text>
        )}
        {enabled && failingSince !== null && (
          <Text size="sm" c="red" component="div">
            {t('failingSince')} <Moment at={failingSince} />
          </Text>
        )}
        <Problem error={test.error ?? change.error ?? rotate.error} />
        <Group gap="xs">
          {onDeliveries && (
            <Button size="compact-sm" variant="default" onClick={onDeliveries}>
              {t('deliveries.title')}
            </Button>
          )}
          {mayChange && (
            <>
              <Button size="compact-sm" variant="default" onClick={dialogs.edit}>
                {t('edit.action')}
              </Button>
              <Button size="compact-sm" variant="default" loading={test.isPending} onClick={() => testOnce()}>
                {t('test.send')}
              </Button>
              <Button size="compact-sm" variant="default" disabled={!enabled} onClick={dialogs.replay}>
                {t('replay.action')}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                loading={rotate.isPending}
                onClick={hasPrevious ? askToRevoke : () => rotateOnce()}
              >
                {hasPrevious ? `${t('rotate')}…` : t('rotate')}
              </Button>
              <Button size="compact-sm" variant="default" c="red" onClick={() => setOpened('delete')}>
                {t('delete.submit')}
              </Button>
            </>
          )}
        </Group>
      </Stack>
      <OnceDialog opened={rotate.data !== undefined} onClose={() => rotate.reset()} title={t('rotate')}>
        {rotate.data && <SecretShown secret={rotate.data.secret} title={t('rotated')} onClose={() => rotate.reset()} />}
      </OnceDialog>
      <WebhookDialog clientId={clientId} webhook={webhook} opened={opened === 'edit'} onClose={dialogs.end} />
      <ReplayDialog clientId={clientId} webhookId={webhookId} opened={opened === 'replay'} onClose={dialogs.end} />
      <ConfirmByTyping
        opened={opened === 'delete'}
        title={t('delete.title')}
        word={URL.parse(url)?.host ?? 'webhook'}
        action={t('delete.submit')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => removeOnce()}
        onClose={dialogs.end}
      >
        {t('delete.text')}
      </ConfirmByTyping>
    </Card>
  );
}

function Health({ webhook: { enabled, failingSince, lastSuccessAt } }: { webhook: Webhook }) {
  const { t } = useTranslation('webhooks');
  const health = enabled ? (failingSince !== null ? 'failing' : lastSuccessAt === null ? 'new' : 'healthy') : 'off';
  const color = { failing: 'red', new: 'gray', healthy: 'green', off: 'gray' }[health];
  return (
    <Badge variant="light" color={color} tt="none">
      {t(`health.${health}`)}
    </Badge>
  );
}
