import '@mantine/core/styles/Tabs.css';
import { Box, Button, Card, Code, Container, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { Copy } from '../../shell/copy.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import classes from '../connect/connect.module.css';
import { DeliveriesDrawer } from './deliveries-drawer.tsx';
import { webhooksQuery } from './queries.ts';
import { VERIFY_SNIPPETS } from './verify-snippets.ts';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

export function WebhooksPage() {
  const { t } = useTranslation('webhooks');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/webhooks' });
  const can = useCan(clientId);
  const webhooks = useQuery(webhooksQuery(clientId));
  const [creating, setCreating] = useState(false);
  const [opened, setOpened] = useState<string>();
  const mayChange = can('write');
  const add = mayChange && (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      {t('create.title')}
    </Button>
  );
  const isEmpty = webhooks.data?.length === 0;
  return (
    <Container size="md" px={0} mx={0}>
      <PageHeader title={t('title')} description={t('about')} actions={!isEmpty && add} />
      <Stack gap="lg">
        {webhooks.isPending && <LoadingState />}
        {webhooks.isError && <ErrorState error={webhooks.error} retry={() => webhooks.refetch()} />}
        {isEmpty && (
          <EmptyState icon={IconWebhook} title={t('empty.title')} action={add}>
            {t(mayChange ? 'empty.text' : 'empty.readOnly')}
          </EmptyState>
        )}
        {webhooks.data?.map((webhook) => (
          <WebhookCard
            key={webhook.webhookId}
            clientId={clientId}
            webhook={webhook}
            mayChange={mayChange}
            onDeliveries={can('users') ? () => setOpened(webhook.webhookId) : undefined}
          />
        ))}
        <Verify />
      </Stack>
      <WebhookDialog clientId={clientId} opened={creating} onClose={() => setCreating(false)} />
      <DeliveriesDrawer
        clientId={clientId}
        webhookId={opened}
        mayChange={mayChange}
        onClose={() => setOpened(undefined)}
      />
    </Container>
  );
}

function Verify() {
  const { t } = useTranslation('webhooks');
  const snippets = Object.entries(VERIFY_SNIPPETS);
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4">
        {t('verify.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('verify.text')}
      </Text>
      <Tabs defaultValue="TypeScript" keepMounted={false}>
        <Tabs.List mb="sm">
          {snippets.map(([name]) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(([name, text]) => (
          <Tabs.Panel key={name} value={name}>
            <Box pos="relative">
              <Box className={classes.copy}>
                <Copy value={text} label={t('verify.copy', { language: name })} />
              </Box>
              <Code block className={classes.code} tabIndex={0} role="region" aria-label={name}>
                {text}
              </Code>
            </Box>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}
