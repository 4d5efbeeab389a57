import '@mantine/core/styles/Timeline.css';
import { Button, Center, Code, Group, Text, Timeline } from '@mantine/core';
import { IconArrowRight, IconCheck, IconHistory, IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { catalogTreeQuery, nameCatalog } from '../../api/catalog-names.ts';
import { Moment } from '../../shell/moment.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { userHistoryQuery } from './queries.ts';

/** The user's choices over time, newest first. */
export function UserHistory({ clientId, userUid }: { clientId: string; userUid: string }) {
  const { t, i18n } = useTranslation('users');
  const history = useInfiniteQuery(userHistoryQuery(clientId, userUid));
  const tree = useQuery(catalogTreeQuery(clientId));
  if (history.isPending || tree.isPending) return <LoadingState />;
  if (history.isError) return <ErrorState error={history.error} retry={() => history.refetch()} />;
  const names = tree.data && nameCatalog(tree.data, i18n);
  // Two events at the same time have nothing else to tell them apart; new ones are only added at the top.
  const total = history.data.pages[0]?.total ?? 0;
  const events = history.data.pages
    .flatMap((page) => page.items)
    .map((event, place) => ({ ...event, no: total - place }));
  if (events.length === 0) {
    return (
      <EmptyState icon={IconHistory} title={t('history.none')}>
        {t('history.noneText')}
      </EmptyState>
    );
  }
  return (
    <>
      <Timeline bulletSize={24} lineWidth={2} active={events.length}>
        {events.map((event) => {
          const key = names?.key(event.keyUid);
          const show = (value: unknown) => key?.showValue(value) ?? String(value);
          const keyName = key?.label ?? event.keyName ?? t('history.gone');
          return (
            <Timeline.Item
              key={event.no}
              bullet={event.action === 'save' ? <IconCheck size={14} aria-hidden /> : <IconX size={14} aria-hidden />}
              color={event.action === 'save' ? 'inn' : 'gray'}
              title={keyName}
            >
              <Group gap={6}>
                {event.fromValue !== null && (
                  <>
                    <Code>{show(event.fromValue)}</Code>
                    <IconArrowRight size={14} role="img" aria-label={t('history.to')} />
                  </>
                )}
                {event.toValue === null ? (
                  <Text size="sm">{t('history.unset')}</Text>
                ) : (
                  <Code>{show(event.toValue)}</Code>
                )}
              </Group>
              <Text size="xs" c="dimmed" mt={4}>
                <Moment at={event.at} /> · {t(`history.by.${event.by}`)}
              </Text>
            </Timeline.Item>
          );
        })}
      </Timeline>
      {history.hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
    </>
  );
}
