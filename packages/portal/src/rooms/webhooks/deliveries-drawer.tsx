import { Badge, Button, Center, Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Moment } from '../../shell/moment.tsx';
import { EmptyState, ErrorState, LoadingState, Problem } from '../../shell/states.tsx';
import { TextBlock } from '../../shell/text-block.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import classes from '../requests/requests.module.css';
import { type Delivery, deliveriesQuery, deliveryQuery } from './queries.ts';

type Shown = { clientId: string; webhookId: string; mayChange: boolean };

export function DeliveriesDrawer(props: Omit<Shown, 'webhookId'> & { webhookId: string | undefined; onClose(): void }) {
  const { webhookId, onClose, ...rest } = props;
  const { t } = useTranslation('webhooks');
  return (
    <Drawer
      opened={webhookId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t('deliveries.title')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      {webhookId !== undefined && <Deliveries webhookId={webhookId} {...rest} />}
    </Drawer>
  );
}

function Deliveries({ clientId, webhookId, mayChange }: Shown) {
  const { t } = useTranslation('webhooks');
  const deliveries = useInfiniteQuery(deliveriesQuery(clientId, webhookId));
  const [opened, setOpened] = useState<string>();
  if (deliveries.isPending) return <LoadingState />;
  if (deliveries.isError) return <ErrorState error={deliveries.error} retry={() => deliveries.refetch()} />;
  const items = deliveries.data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return (
      <EmptyState icon={IconSend} title={t('deliveries.empty')}>
        {t('deliveries.emptyText')}
      </EmptyState>
    );
  }
  return (
    <Stack gap={0} component="ul" p={0} m={0} aria-label={t('deliveries.title')}>
      {items.map((each) => (
        <Stack key={each.deliveryId} component="li" gap="xs" py="sm">
          <UnstyledButton
            aria-expanded={opened === each.deliveryId}
            onClick={() => setOpened(opened === each.deliveryId ? undefined : each.deliveryId)}
          >
            <Group justify="space-between" gap="sm">
              <Group gap="xs">
                <State delivery={each} />
                <Text span size="sm" ff="monospace">
                  {each.type}
                </Text>
              </Group>
              <Text span size="sm" c="dimmed">
                <Moment at={each.createdAt} />
              </Text>
            </Group>
          </UnstyledButton>
          {opened === each.deliveryId && (
            <Details clientId={clientId} webhookId={webhookId} mayChange={mayChange} delivery={each} />
          )}
        </Stack>
      ))}
      {deliveries.hasNextPage && (
        <Center>
          <Button
            variant="default"
            loading={deliveries.isFetchingNextPage}
            onClick={() => void deliveries.fetchNextPage()}
          >
            {t('more', { ns: 'shell' })}
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function State({ delivery: { state, status, problem } }: { delivery: Delivery }) {
  const { t } = useTranslation('webhooks');
  const color = { pending: 'yellow', succeeded: 'green', failed: 'red' }[state];
  const why = status === null ? problem && t(`problem.${problem}`) : String(status);
  return (
    <Badge variant="light" color={color} className={classes.badge ?? ''}>
      {t(`state.${state}`)}
      {why ? ` · ${why}` : ''}
    </Badge>
  );
}

function Details({ clientId, webhookId, mayChange, delivery }: Shown & { delivery: Delivery }) {
  const { t } = useTranslation('webhooks');
  const client = useQueryClient();
  const { deliveryId, attempts, milliseconds, nextAt, eventId } = delivery;
  const found = useQuery(deliveryQuery(clientId, webhookId, deliveryId));
  const resend = useMutation({
    mutationFn: () =>
      api.post('/manage/v1/applications/{clientId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend', {
        path: { clientId, webhookId, deliveryId },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: deliveriesQuery(clientId, webhookId).queryKey }),
  });
  const resendOnce = useMutateOnce(resend);
  if (found.isPending) return <LoadingState />;
  if (found.isError) return <ErrorState error={found.error} />;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" component="div">
        {eventId} · {t('deliveries.attempts', { count: attempts })}
        {milliseconds !== null && ` · ${milliseconds} ms`}
        {nextAt !== null && (
          <>
            {' · '}
            {t('deliveries.next')} <Moment at={nextAt} />
          </>
        )}
      </Text>
      <TextBlock title={t('deliveries.request')} text={found.data.request} empty={t('deliveries.noRequest')} />
      <TextBlock title={t('deliveries.response')} text={found.data.response} empty={t('deliveries.noResponse')} />
      <Problem error={resend.error} />
      {mayChange && delivery.type !== 'webhook.test' && (
        <Group>
          <Button size="compact-sm" variant="default" loading={resend.isPending} onClick={() => resendOnce()}>
            {t('deliveries.resend')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
