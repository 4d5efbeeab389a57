import { Badge, Button, Center, Select, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../shell/moment.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { useInSteps } from '../../shell/use-in-steps.ts';
import requests from '../requests/requests.module.css';
import { EventDrawer } from './event-drawer.tsx';
import { EVENT_TYPES, type EventType } from './event-types.ts';
import { EventUser } from './event-user.tsx';
import classes from './events.module.css';
import { type ApplicationEvent, eventsQuery } from './queries.ts';
import { readEvent } from './read-event.ts';

type Props = {
  clientId: string;
  /** For one user, on that user's page. */
  userUid?: string;
  type: EventType | undefined;
  onType(type: EventType | undefined): void;
};

/** Newest first; new events appear automatically. */
export function EventList({ clientId, userUid, type, onType }: Props) {
  const { t } = useTranslation('events');
  const { t: shell } = useTranslation();
  const filter = { ...(type && { type }), ...(userUid !== undefined && { userUid }) };
  const events = useInfiniteQuery(eventsQuery(clientId, filter));
  const [opened, setOpened] = useState<ApplicationEvent>();
  const items = useMemo(() => events.data?.pages.flatMap((page) => page.items) ?? [], [events.data]);
  return (
    <Stack>
      <Select
        w={{ base: '100%', xs: 220 }}
        label={t('type')}
        placeholder={t('anyType')}
        clearable
        clearButtonProps={{ 'aria-label': t('clearType') }}
        data={[...EVENT_TYPES]}
        value={type ?? null}
        onChange={(chosen) => onType(chosen ?? undefined)}
      />
      {events.isPending && <LoadingState />}
      {events.isError && <ErrorState error={events.error} retry={() => events.refetch()} />}
      {events.data && items.length === 0 && !events.hasNextPage && (
        <EmptyState icon={IconBolt} title={type ? t('empty.filtered') : t('empty.title')}>
          {!type && t('empty.text')}
        </EmptyState>
      )}
      {items.length > 0 && (
        <EventTable clientId={clientId} items={items} isOfOne={userUid !== undefined} onOpen={setOpened} />
      )}
      {events.hasNextPage && (
        <Center>
          <Stack align="center" gap="xs">
            {items.length === 0 && <Text c="dimmed">{t('noneYet')}</Text>}
            <Button variant="default" loading={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
              {items.length === 0 ? t('older') : shell('more')}
            </Button>
          </Stack>
        </Center>
      )}
      <EventDrawer clientId={clientId} event={opened} onClose={() => setOpened(undefined)} />
    </Stack>
  );
}

type Rows = { clientId: string; items: ApplicationEvent[]; isOfOne: boolean; onOpen(event: ApplicationEvent): void };

/** Clicking a row opens its event, except on the user. */
function EventTable({ clientId, items, isOfOne, onOpen }: Rows) {
  const { t } = useTranslation('events');
  const shown = useInSteps(items);
  return (
    <Table highlightOnHover className={requests.table ?? ''} aria-label={t('title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={requests.status ?? ''}>{t('type')}</Table.Th>
          {!isOfOne && <Table.Th>{t('user')}</Table.Th>}
          <Table.Th {...(!isOfOne && { visibleFrom: 'sm' })}>{t('what')}</Table.Th>
          <Table.Th ta="right" visibleFrom="sm" className={requests.status ?? ''}>
            {t('time')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map((event) => (
          <Table.Tr key={event.id} className={requests.row ?? ''}>
            <Table.Td className={requests.status ?? ''}>
              <UnstyledButton className={requests.open ?? ''} onClick={() => onOpen(event)} aria-haspopup="dialog">
                <TypeBadge type={event.type} />
              </UnstyledButton>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                <Moment at={event.timestamp} />
              </Text>
            </Table.Td>
            {!isOfOne && (
              <Table.Td className={classes.text ?? ''}>
                <EventUser clientId={clientId} event={event} />
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  <Change event={event} />
                </Text>
              </Table.Td>
            )}
            <Table.Td className={classes.text ?? ''} {...(!isOfOne && { visibleFrom: 'sm' })}>
              <Change event={event} />
            </Table.Td>
            <Table.Td ta="right" visibleFrom="sm" className={requests.time ?? ''}>
              <Moment at={event.timestamp} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const COLORS = { user: 'blue', selection: 'teal', catalog: 'grape' } as const;

function TypeBadge({ type }: { type: EventType }) {
  const color = type === 'user.deleted' ? 'red' : COLORS[type.split('.')[0] as keyof typeof COLORS];
  return (
    <Badge variant="light" color={color} radius="sm" miw="max-content" className={requests.badge ?? ''}>
      {type}
    </Badge>
  );
}

function Change({ event }: { event: ApplicationEvent }) {
  const { t } = useTranslation('events');
  const { change } = readEvent(event);
  if (change === null) return null;
  if (change.kind === 'revision') return <>{t('revision', { revision: change.no })}</>;
  const key = change.key ?? t('deletedKey');
  return <>{change.kind === 'unset' ? t('unset', { key }) : t('saved', { key, value: show(change.value) })}</>;
}

function show(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
