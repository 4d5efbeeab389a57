import { Button, Checkbox, CloseButton, Container, Group, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconUserPlus } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { LinkButton } from '../../shell/links.tsx';
import { focusHeading, PageHeader } from '../../shell/page-header.tsx';
import { EmptyState, ErrorState, LoadingState, NoPermission } from '../../shell/states.tsx';
import { useTyped } from '../../shell/use-typed.ts';
import { AddUser } from './add-user.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { ChooseEverything } from './choose-everything.tsx';
import type { Chosen } from './collect-users.ts';
import { ColumnChoice, useColumns } from './columns.tsx';
import { ExportUsers } from './export-users.tsx';
import type { Filters } from './filters.ts';
import { ImportUsers } from './import-users.tsx';
import { countUsersQuery, MAX_COUNTED, usersQuery } from './queries.ts';
import { SearchOn } from './search-on.tsx';
import { useFollowUsers } from './use-follow-users.ts';
import { UserFilters } from './user-filters.tsx';
import { UserRows } from './user-row.tsx';
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
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(search, field);
  // A new key: open fields of a filter close with it.
  const [clearings, setClearings] = useState(0);
  const users = useInfiniteQuery({ ...usersQuery(clientId, filters), placeholderData: keepPreviousData });
  const everyone = useQuery(countUsersQuery(clientId, {}));
  const isCounted = search === '' || (everyone.data ?? Number.POSITIVE_INFINITY) <= MAX_COUNTED;
  const total = useQuery({ ...countUsersQuery(clientId, filters), enabled: isCounted });
  const found = useMemo(() => users.data?.pages.flatMap(({ items }) => items) ?? [], [users.data]);
  // A search among millions is not counted: its total is known when the last page is listed.
  const known = isCounted ? total.data : users.hasNextPage ? undefined : users.data && found.length;
  const [columns, setColumns] = useColumns();
  useFollowUsers(clientId, filters);
  const filter = (next: Filters) => void navigate({ search: next, replace: true });
  const look = (text: string) => filter(text === '' ? others : { ...others, search: text });
  const lookSoon = useDebouncedCallback(look, 250);
  const change = (text: string) => {
    setTyped(text);
    lookSoon(text);
  };
  const [chosenUids, setChosenUids] = useState<ReadonlySet<string>>(new Set());
  // All users who match the filters, including those not listed yet; only valid for these filters.
  const [everything, setEverything] = useState<{ of: string; users: Chosen[] }>();
  const filterKey = JSON.stringify(filters);
  const all = everything?.of === filterKey ? everything.users : undefined;
  // Only visible users: a filter may have hidden others.
  const inSight = found.filter(({ userUid }) => chosenUids.has(userUid));
  const chosen = all ?? inSight;
  const setChosen = (uids: Iterable<string>) => {
    setEverything(undefined);
    setChosenUids(new Set(uids));
  };
  const choose = useCallback((userUid: string) => {
    setEverything(undefined);
    setChosenUids((uids) =>
      uids.has(userUid) ? new Set([...uids].filter((each) => each !== userUid)) : new Set([...uids, userUid]),
    );
  }, []);
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
          ref={field}
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
      {!(isEmpty && !isFiltered) && (
        <UserFilters key={clearings} clientId={clientId} filters={filters} onChange={filter} />
      )}
      {/* Actions take the place of the total, so that no row moves when the first user is selected. */}
      {found.length > 0 && chosen.length === 0 && (
        <Group justify="space-between" mb="xs" className={classes.bar ?? ''}>
          <Text size="sm" c="dimmed" role="status">
            {known !== undefined
              ? t('filter.total', { count: known })
              : search !== '' && t('filter.atLeast', { count: found.length })}
          </Text>
          <ColumnChoice columns={columns} onChange={setColumns} />
        </Group>
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
                setClearings((count) => count + 1);
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
        <BulkActions
          clientId={clientId}
          chosen={chosen}
          isEverything={all !== undefined}
          onDone={(left) => {
            setChosen(left);
            // The button that had the focus goes with the actions.
            requestAnimationFrame(() => document.activeElement === document.body && focusHeading());
          }}
        />
      )}
      {inSight.length > 0 && inSight.length === found.length && users.hasNextPage && !all && (
        <ChooseEverything
          key={`everything ${filterKey}`}
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
                {columns.map((column) => (
                  <Table.Th key={column} visibleFrom={column === 'uid' ? 'md' : 'xs'} className={classes.whole ?? ''}>
                    {t(column)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              <UserRows
                clientId={clientId}
                users={found}
                columns={columns}
                chosenUids={chosenUids}
                onChoose={choose}
                // Pending typed input must not lead back here.
                onOpen={lookSoon.cancel}
              />
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <SearchOn
        // Other filters start over.
        key={`search ${filterKey}`}
        users={users}
        found={found.length}
        searched={users.data?.pages.reduce((sum, page) => sum + (page.searched ?? 0), 0) ?? 0}
        isSearch={search !== ''}
      />
    </Container>
  );
}
