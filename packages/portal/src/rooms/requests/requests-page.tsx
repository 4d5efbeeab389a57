import { ActionIcon, Button, Center, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconRefresh, IconRoute, IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { LinkButton } from '../../shell/links.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState, ErrorState, LoadingState, NoPermission } from '../../shell/states.tsx';
import { TimeRange } from '../../shell/time-range.tsx';
import { useTyped } from '../../shell/use-typed.ts';
import { namedUserQuery, requestsQuery } from './queries.ts';
import { RequestDrawer } from './request-drawer.tsx';
import { RequestTable } from './request-table.tsx';
import { METHODS, type RequestSearch, STATUSES } from './search.ts';

export function RequestsPage() {
  const { t } = useTranslation('requests');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/requests' });
  const can = useCan(clientId);
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      {can('users') ? <Requests clientId={clientId} /> : <NoPermission>{t('noPermission')}</NoPermission>}
    </>
  );
}

function Requests({ clientId }: { clientId: string }) {
  const { t } = useTranslation('requests');
  const search = useSearch({ from: '/frame/applications/$clientId/requests' });
  const navigate = useNavigate({ from: '/applications/$clientId/requests' });
  const [isLive, setLive] = useState(true);
  const named = useQuery({ ...namedUserQuery(clientId, search.user ?? ''), enabled: search.user !== undefined });
  const isNobody = search.user !== undefined && named.data === null;
  const requests = useInfiniteQuery({
    ...requestsQuery(clientId, { ...search, ...(named.data && { userUid: named.data }) }, isLive),
    // Do not list everyone's requests while the user is being looked up.
    enabled: search.user === undefined || typeof named.data === 'string',
  });
  const change = (changed: Partial<Record<keyof RequestSearch, string | null>>) =>
    void navigate({
      search: (before) => {
        const next: Record<string, string | null | undefined> = { ...before, ...changed };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value));
      },
      replace: !('request' in changed),
    });
  const { request: opened, ...filter } = search;
  const isFiltered = Object.keys(filter).length > 0;
  const listed = useMemo(() => requests.data?.pages.flatMap((page) => page.items) ?? [], [requests.data]);
  const items = isNobody ? [] : listed;
  const sampled = requests.data?.pages[0]?.sampled;
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <Select
          w={{ base: '100%', xs: 190 }}
          label={t('filter.status')}
          placeholder={t('filter.any')}
          clearable
          clearButtonProps={{ 'aria-label': t('filter.clear') }}
          data={STATUSES.map((value) => ({ value, label: t(`filter.${value}`) }))}
          value={search.status ?? null}
          onChange={(status) => change({ status })}
        />
        <Select
          w={{ base: '47%', xs: 120 }}
          label={t('filter.method')}
          placeholder={t('filter.any')}
          clearable
          clearButtonProps={{ 'aria-label': t('filter.clear') }}
          data={[...METHODS]}
          value={search.method ?? null}
          onChange={(method) => change({ method })}
        />
        <FilterText
          w={{ base: '47%', xs: 100 }}
          label={t('filter.code')}
          placeholder="1008"
          value={search.code ?? ''}
          onChange={(code) => change({ code: /^\d{4}$/.test(code) ? code : null })}
        />
        <FilterText
          w={{ base: '47%', xs: 220 }}
          label={t('filter.path')}
          placeholder="/api/user_options"
          value={search.path ?? ''}
          onChange={(path) => change({ path })}
        />
        <FilterText
          w={{ base: '47%', xs: 220 }}
          label={t('filter.user')}
          placeholder="ada@example.com"
          value={search.user ?? ''}
          onChange={(user) => change({ user: user.trim(), userUid: null })}
        />
        <FilterText
          w={{ base: '47%', xs: 220 }}
          label={t('detail.requestId')}
          placeholder="X-Request-Id"
          value={search.requestId ?? ''}
          onChange={(requestId) => change({ requestId: requestId.trim() })}
        />
        <TimeRange
          range={search}
          spans={['quarter', 'hour', 'day', 'week']}
          onChange={(range) => change({ span: null, from: null, to: null, ...range })}
        />
        {search.userUid !== undefined && (
          <Button
            variant="light"
            rightSection={<IconX size={14} aria-hidden />}
            onClick={() => change({ userUid: null })}
            aria-label={t('filter.notOneUser')}
          >
            {t('filter.oneUser')}
          </Button>
        )}
        <Group gap="xs" ml="auto">
          <Switch label={t('live')} checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('refresh')}
            loading={requests.isRefetching && !isLive}
            onClick={() => void requests.refetch()}
          >
            <IconRefresh size={18} aria-hidden />
          </ActionIcon>
        </Group>
      </Group>
      {sampled && sampled.of > 0 && (
        <Text size="sm" c="dimmed">
          {sampled.kept < sampled.of ? t('sampled', sampled) : t('all', { count: sampled.of })}
        </Text>
      )}
      {requests.isPending && !isNobody && <LoadingState />}
      {requests.isError && <ErrorState error={requests.error} retry={() => requests.refetch()} />}
      {(isNobody || (requests.data && items.length === 0)) && (
        <EmptyState
          icon={IconRoute}
          title={isNobody ? t('empty.nobody') : isFiltered ? t('empty.filtered') : t('empty.title')}
          action={
            isFiltered ? (
              <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
                {t('empty.clear')}
              </Button>
            ) : (
              <LinkButton to="/applications/$clientId/connect" params={{ clientId }}>
                {t('empty.connect')}
              </LinkButton>
            )
          }
        >
          {!isFiltered && t('empty.text')}
        </EmptyState>
      )}
      {items.length > 0 && <RequestTable items={items} onOpen={(request) => change({ request })} />}
      {requests.hasNextPage && (
        <Center>
          <Button variant="default" loading={requests.isFetchingNextPage} onClick={() => void requests.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
      <RequestDrawer clientId={clientId} requestUid={opened} onClose={() => change({ request: null })} />
    </Stack>
  );
}

/** Typed text is applied after a short pause; the URL's value is shown. */
function FilterText(props: {
  label: string;
  placeholder: string;
  value: string;
  w: Record<string, number | string>;
  onChange(value: string): void;
}) {
  const { value, onChange, ...rest } = props;
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(value, field);
  const changeLater = useDebouncedCallback(onChange, 400);
  return (
    <TextInput
      {...rest}
      ref={field}
      spellCheck={false}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        changeLater(event.currentTarget.value);
      }}
    />
  );
}
