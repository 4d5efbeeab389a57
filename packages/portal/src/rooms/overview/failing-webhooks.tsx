import { Alert, List, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../../shell/links.tsx';
import { Moment } from '../../shell/moment.tsx';
import { isFailing, webhooksQuery } from '../webhooks/queries.ts';

/** Renders nothing if there are none. */
export function FailingWebhooks({ clientId }: { clientId: string }) {
  const { t } = useTranslation('overview');
  const { data = [] } = useQuery({ ...webhooksQuery(clientId), refetchInterval: 30_000 });
  const failing = data.filter(isFailing);
  if (failing.length === 0) return null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconWebhook aria-hidden />}
      title={t('failingWebhooks.title', { count: failing.length })}
    >
      <List size="sm" mb="xs">
        {failing.map(({ webhookId, url, description, enabled, failingSince }) => (
          <List.Item key={webhookId}>
            <Text span size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {description || url}
            </Text>{' '}
            {enabled && failingSince !== null ? (
              <>
                {t('failingWebhooks.since')} <Moment at={failingSince} />
              </>
            ) : (
              t('failingWebhooks.off')
            )}
          </List.Item>
        ))}
      </List>
      <LinkAnchor size="sm" c="inherit" underline="always" to="/applications/$clientId/webhooks" params={{ clientId }}>
        {t('failingWebhooks.open')}
      </LinkAnchor>
    </Alert>
  );
}
