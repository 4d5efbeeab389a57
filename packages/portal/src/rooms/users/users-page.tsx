import { Badge, Box, Button, Checkbox, CloseButton, Container, Group, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconUserPlus } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { Copy } from '../../shell/copy.tsx';
import { LinkAnchor, LinkButton } from '../../shell/links.tsx';
import { Moment } from '../../shell/moment.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState, ErrorState, LoadingState, NoPermission } from '../../shell/states.tsx';
import { AddUser } from './add-user.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { ChooseEverything } from './choose-everything.tsx';
import type { Chosen } from './collect-users.ts';
import { ExportUsers } from './export-users.tsx';
import type { Filters } from './filters.ts';
import { ImportUsers } from './import-users.tsx';
import { countUsersQuery, usersQuery } from './queries.ts';
import { SearchOn } from './search-on.tsx';
import { UserFilters } from './user-filters.tsx';
import classes from './users.module.css';

const FROM = '/frame/applications/$clientId/users';

export function UsersPage() {
  const { t } = useTranslation('users');
  const { clientId } = useParams({ from: FROM });
  const can = useCan(clientId);
  if (can('users')) return <Users clientId={clientId} />;
  return (
    <>
      <PageHeader title={t('title')} />
      <NoPermission>{t('noPermission')}</NoPermission>
    </>
  );
}

function Users({ clientId }: { clientId: string }) {
  const { t } = useTranslation('users');
  const filters = useSearch({ from: FROM });
  const { search = '', ...others } = filters;
  const isFiltered = search !== '' || Object.keys(others).some((name) => name !== 'sort');
  const can = useCan(clientId);
  const navigate = useNavigate({ from: '/applications/$clientId/users' });
  const [typed, setTyped] = useState(search);
  const users = useInfiniteQuery({ ...usersQuery(clientId, filters), placeholderData: keepPreviousData });
  const total = useQuery({ ...countUsersQuery(clientId, filters), enabled: search === '' });
  const filter = (next: Filters) => void navigate({ search: next, replace: true });
  const look = (text: string) => filter(text === '' ? others : { ...others, search: text });
  const lookSoon = useDebouncedCallback(look, 250);
  const change = (text: string) => {
    setTyped(text);
    lookSoon(text);
  };
  const found = users.data?.pages.flatMap(({ items }) => items) ?? [];
  const [chosenUids, setChosenUids] = useState<ReadonlySet<string>>(new Set());
  // All that the filters find, also those that are not listed yet; of other filters it says nothing.
  const [everything, setEverything] = useState<{ of: string; users: Chosen[] }>();
  const filterKey = JSON.stringify(filters);
  const all = everything?.of === filterKey ? everything.users : undefined;
  // Of those that are in sight alone: others may have gone with a filter.
  const inSight = found.filter(({ userUid }) => chosenUids.has(userUid));
  const chosen = all ?? inSight;
  const setChosen = (uids: Iterable<string>) => {
    setEverything(undefined);
    setChosenUids(new Set(uids));
  };
  const choose = (userUid: string) =>
    setChosen(chosenUids.has(userUid) ? [...chosenUids].filter((each) => each !== userUid) : [...chosenUids, userUid]);
  const isEmpty = users.isSuccess && !users.isPlaceholderData && found.length === 0 && !users.hasNextPage;

  return (
    <Container size="lg" px={0} mx={0}>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          <>
            {found.length > 0 && <ExportUsers clientId={clientId} filters={filters} />}
            {can('write') && <ImportUsers clientId={clientId} />}
            <AddUser clientId={clientId} />
          </>
        }
      />
      {!(isEmpty && !isFiltered) && (
        <TextInput
          type="search"
          aria-label={t('search')}
          placeholder={t('searchPlaceholder')}
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            typed !== '' && <CloseButton size="sm" aria-label={t('clearSearch')} onClick={() => change('')} />
          }
          value={typed}
          onChange={(event) => change(event.currentTarget.value)}
          maxLength={255}
          mb="xs"
        />
      )}
      {!(isEmpty && !isFiltered) && <UserFilters clientId={clientId} filters={filters} onChange={filter} />}
      {search === '' && total.data !== undefined && found.length > 0 && (
        <Text size="sm" c="dimmed" mb="xs" role="status">
          {t('filter.total', { count: total.data })}
        </Text>
      )}
      {users.isPending && <LoadingState />}
      {users.isError && <ErrorState error={users.error} retry={() => users.refetch()} />}
      {isEmpty && !isFiltered && (
        <EmptyState
          icon={IconUserPlus}
          title={t('none.title')}
          action={
            <LinkButton to="/applications/$clientId/connect" params={{ clientId }}>
              {t('none.action')}
            </LinkButton>
          }
        >
          {t('none.text')}
        </EmptyState>
      )}
      {isEmpty && isFiltered && (
        <EmptyState
          icon={IconSearch}
          title={t('noMatch.title')}
          action={
            <Button
              variant="default"
              onClick={() => {
                setTyped('');
                filter({});
              }}
            >
              {t('filter.clear')}
            </Button>
          }
        >
          {search === '' ? t('filter.noMatch') : t('noMatch.text', { search })}
        </EmptyState>
      )}
      {chosen.length > 0 && (
        <BulkActions clientId={clientId} chosen={chosen} isEverything={all !== undefined} onDone={setChosen} />
      )}
      {inSight.length > 0 && inSight.length === found.length && users.hasNextPage && !all && (
        <ChooseEverything
          key={filterKey}
          clientId={clientId}
          filters={filters}
          listed={found.length}
          onChosen={(users) => setEverything({ of: filterKey, users })}
        />
      )}
      {found.length > 0 && (
        <Table.ScrollContainer minWidth={320} type="native">
          <Table verticalSpacing="xs" highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={40}>
                  <Checkbox
                    aria-label={t('bulk.all')}
                    checked={inSight.length === found.length}
                    indeterminate={inSight.length > 0 && inSight.length < found.length}
                    onChange={() => setChosen(inSight.length < found.length ? found.map(({ userUid }) => userUid) : [])}
                  />
                </Table.Th>
                <Table.Th>{t('user')}</Table.Th>
                <Table.Th visibleFrom="md">{t('uid')}</Table.Th>
                <Table.Th visibleFrom="xs">{t('created')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.map(({ userUid, clientUserId, clientUserName, status, createdAt }) => (
                <Table.Tr key={userUid} className={classes.row}>
                  <Table.Td>
                    <Checkbox
                      className={classes.above ?? ''}
                      aria-label={t('bulk.one', { name: clientUserName })}
                      checked={chosenUids.has(userUid)}
                      onChange={() => choose(userUid)}
                    />
                  </Table.Td>
                  <Table.Td className={classes.who ?? ''}>
                    <LinkAnchor
                      to="/applications/$clientId/users/$userUid"
                      params={{ clientId, userUid }}
                      // What was typed a moment before must not lead back here.
                      onClick={() => lookSoon.cancel()}
                      className={classes.cover ?? ''}
                      fw={600}
                      lineClamp={2}
                      // It covers the whole row: texts that may be cut off are given here.
                      {...(isLong(clientUserName, clientUserId) && { title: `${clientUserName}\n${clientUserId}` })}
                    >
                      {clientUserName}
                    </LinkAnchor>
                    <Text size="sm" c="dimmed" lineClamp={2}>
                      {clientUserId}
                    </Text>
                    {status === 'suspended' && (
                      <Badge size="xs" color="yellow" variant="light" tt="none">
                        {t('status.suspended')}
                      </Badge>
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="md" className={classes.whole ?? ''}>
                    <Group gap={4} wrap="nowrap">
                      <Text size="xs" ff="monospace" c="dimmed">
                        {userUid}
                      </Text>
                      <Box className={classes.above}>
                        <Copy value={userUid} label={t('copyUid')} />
                      </Box>
                    </Group>
                  </Table.Td>
                  <Table.Td visibleFrom="xs" className={classes.whole ?? ''}>
                    <Text size="sm">
                      <Moment at={createdAt} />
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <SearchOn
        // Other filters begin again.
        key={filterKey}
        users={users}
        found={found.length}
        searched={users.data?.pages.reduce((sum, page) => sum + (page.searched ?? 0), 0) ?? 0}
        isSearch={search !== ''}
      />
    </Container>
  );
}

function isLong(...texts: string[]): boolean {
  return texts.some((text) => text.length > 60);
}
