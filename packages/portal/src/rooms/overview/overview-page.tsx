import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { applicationQuery } from '../../api/queries.ts';
import { Copyable } from '../../shell/copy.tsx';
import { Moment } from '../../shell/moment.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { ActivityPanel } from './activity-panel.tsx';
import { Checklist } from './checklist.tsx';
import { FailingWebhooks } from './failing-webhooks.tsx';
import { overviewQuery } from './queries.ts';
import { StatCard } from './stat-card.tsx';
import { TokenServiceCard } from './token-service-card.tsx';

export function OverviewPage() {
  const { t } = useTranslation('overview');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/' });
  const { data: application } = useSuspenseQuery(applicationQuery(clientId));
  // Entering the room has just requested it.
  const overview = useQuery({ ...overviewQuery(clientId), refetchOnMount: false });
  const can = useCan(clientId);
  return (
    <>
      <PageHeader title={application.name} description={<Copyable value={clientId} label={t('copyClientId')} />} />
      {overview.isPending && <LoadingState />}
      {overview.isError && <ErrorState error={overview.error} retry={() => overview.refetch()} />}
      {overview.data && (
        <Stack gap="lg">
          <FailingWebhooks clientId={clientId} />
          <Checklist clientId={clientId} steps={overview.data.steps} />
          <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="sm">
            <StatCard
              label={t('users')}
              total={{ count: application.counts.users, more: application.counts.moreUsers }}
              {...(can('users') && { to: '/applications/$clientId/users' as const })}
            />
            <StatCard
              label={t('selections')}
              total={overview.data.totals.selections}
              to="/applications/$clientId/insights"
            />
            <StatCard label={t('liveTokens')} total={overview.data.totals.liveTokens} />
            <StatCard
              label={t('requestsToday')}
              total={{ count: overview.data.lastDay.requests, more: false }}
              {...(can('users') && { to: '/applications/$clientId/requests' as const })}
            />
            <StatCard
              label={t('errorsToday')}
              total={{ count: overview.data.lastDay.errors, more: false }}
              note={share(overview.data.lastDay.errors, overview.data.lastDay.requests)}
              {...(can('users') && {
                to: '/applications/$clientId/requests' as const,
                search: { status: 'failed', span: 'day' },
              })}
            />
            <TokenServiceCard health={overview.data.tokenService} />
          </SimpleGrid>
          <ActivityPanel clientId={clientId} />
          <Text size="sm" c="dimmed">
            {overview.data.lastRequestAt === null ? (
              t('noRequestYet')
            ) : (
              <>
                {t('lastRequest')} <Moment at={overview.data.lastRequestAt} />
              </>
            )}
          </Text>
        </Stack>
      )}
    </>
  );

  function share(part: number, whole: number): string | undefined {
    return whole === 0 ? undefined : t('ofRequests', { share: part / whole });
  }
}
