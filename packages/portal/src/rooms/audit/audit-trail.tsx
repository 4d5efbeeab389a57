import { Button, Center, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconHistory, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { download } from '../../shell/download.ts';
import { dateLocale, readTime } from '../../shell/moment.tsx';
import { notifyProblem } from '../../shell/notify.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { TimeRange } from '../../shell/time-range.tsx';
import classes from './audit.module.css';
import { AuditItem } from './audit-item.tsx';
import { textOf } from './audit-looks.ts';
import { type AuditAction, type AuditEntry, type AuditFilter, auditQuery, EVERYTHING, exportAudit } from './queries.ts';

type Props = {
  /** null: the installation. */
  clientId: string | null;
  actions: readonly AuditAction[];
  canChooseActor: boolean;
};

/** The audit entries, day by day, newest first. */
export function AuditTrail({ clientId, actions, canChooseActor }: Props) {
  const { t, i18n } = useTranslation('audit');
  const [filter, setFilter] = useState<AuditFilter>(EVERYTHING);
  const audit = useInfiniteQuery(auditQuery(clientId, filter));
  const [typed, setTyped] = useState('');
  // A new key: open fields of a filter close with it.
  const [clearings, setClearings] = useState(0);
  const searchSoon = useDebouncedCallback((search: string) => setFilter((held) => ({ ...held, search })), 300);
  const search = (text: string) => {
    setTyped(text);
    searchSoon(text);
  };
  const entries = audit.data?.pages.flatMap((page) => page.items) ?? [];
  // Actors with entries.
  const actors = [...new Set([...entries.map(({ actor }) => actor), ...(filter.actor ? [filter.actor] : [])])].sort();
  const isFiltered =
    filter.action !== null || filter.actor !== '' || filter.search !== '' || Object.keys(filter.range).length > 0;
  // A page of a search may be empty although older entries match.
  const goesOn = entries.length === 0 && audit.hasNextPage && !audit.isError;
  const { fetchNextPage } = audit;
  useEffect(() => {
    if (goesOn && !audit.isFetching) void fetchNextPage();
  }, [goesOn, audit.isFetching, fetchNextPage]);
  const days = Map.groupBy(entries, (entry) => dayOf(entry, i18n.language));
  return (
    <>
      <Group mb="lg" gap="sm" align="flex-end">
        {canChooseActor && (
          <TextInput
            type="search"
            w={{ base: '100%', xs: 260 }}
            label={t('filter.search')}
            placeholder={t('filter.searchHint')}
            leftSection={<IconSearch size={16} aria-hidden />}
            maxLength={255}
            value={typed}
            onChange={(event) => search(event.currentTarget.value)}
          />
        )}
        <Select
          w={{ base: '100%', xs: 260 }}
          label={t('filter.action')}
          placeholder={t('filter.any')}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': t('filter.clear') }}
          data={actions.map((value) => ({ value, label: t(`action.${textOf(value)}`) }))}
          value={filter.action}
          onChange={(action) => setFilter({ ...filter, action })}
        />
        {canChooseActor && (
          <Select
            w={{ base: '100%', xs: 260 }}
            label={t('filter.actor')}
            placeholder={t('filter.anybody')}
            clearable
            searchable
            clearButtonProps={{ 'aria-label': t('filter.clear') }}
            data={actors}
            value={filter.actor === '' ? null : filter.actor}
            onChange={(actor) => setFilter({ ...filter, actor: actor ?? '' })}
          />
        )}
        <TimeRange
          key={clearings}
          range={filter.range}
          spans={['hour', 'day', 'week', 'month']}
          onChange={(range) => setFilter({ ...filter, range })}
        />
        {entries.length > 0 && <ExportAudit clientId={clientId} filter={filter} />}
      </Group>
      {(audit.isPending || goesOn) && <LoadingState />}
      {audit.isError && <ErrorState error={audit.error} retry={() => audit.refetch()} />}
      {audit.data && entries.length === 0 && !goesOn && (
        <EmptyState
          icon={IconHistory}
          title={isFiltered ? t('empty.filtered') : t('empty.title')}
          action={
            isFiltered && (
              <Button
                variant="default"
                onClick={() => {
                  searchSoon.cancel();
                  setTyped('');
                  setClearings((count) => count + 1);
                  setFilter(EVERYTHING);
                }}
              >
                {t('empty.clear')}
              </Button>
            )
          }
        >
          {!isFiltered && t('empty.text')}
        </EmptyState>
      )}
      <Stack gap="xl">
        {[...days].map(([day, each]) => (
          <section key={day} aria-label={day}>
            <Text component="h2" size="sm" fw={600} c="dimmed" mb="sm" mt={0}>
              {day}
            </Text>
            <ol className={classes.timeline}>
              {each.map((entry) => (
                <AuditItem key={entry.auditUid} clientId={clientId} entry={entry} />
              ))}
            </ol>
          </section>
        ))}
      </Stack>
      {audit.hasNextPage && !goesOn && (
        <Center mt="lg">
          <Button variant="default" loading={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
    </>
  );
}

/** The matching entries, for a spreadsheet. */
function ExportAudit({ clientId, filter }: { clientId: string | null; filter: AuditFilter }) {
  const { t } = useTranslation('audit');
  const exporting = useMutation({
    mutationFn: () => exportAudit(clientId, filter, new AbortController().signal),
    onSuccess({ csv, count, isCut }) {
      download('audit.csv', 'text/csv', csv);
      if (isCut) notifications.show({ color: 'yellow', message: t('export.cut', { count }) });
    },
    onError: notifyProblem,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      {t('export.action')}
    </Button>
  );
}

function dayOf({ at }: AuditEntry, language: string): string {
  return new Intl.DateTimeFormat(dateLocale(language), { dateStyle: 'full' }).format(readTime(at));
}
