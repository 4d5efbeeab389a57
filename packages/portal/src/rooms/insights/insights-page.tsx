import { Button, Card, Container, Group, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core';
import { IconChartBar, IconDownload, IconPhoto } from '@tabler/icons-react';
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { catalogTreeQuery, type NamedKey, nameCatalog } from '../../api/catalog-names.ts';
import { download } from '../../shell/download.ts';
import { LinkButton } from '../../shell/links.tsx';
import { dateLocale, Moment, readTime } from '../../shell/moment.tsx';
import { notifyProblem } from '../../shell/notify.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { EmptyState, ErrorState, LoadingState } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { AllKeys } from './all-keys.tsx';
import { AllKeysCsv } from './all-keys-csv.tsx';
import { ByValue } from './by-value.tsx';
import { Compare } from './compare.tsx';
import { drawInsights } from './insights-image.ts';
import { OverTime } from './over-time.tsx';
import { type Insights, insightsQuery, loadCsv, SPANS, type Span } from './queries.ts';

const FROM = '/frame/applications/$clientId/insights';

export function InsightsPage() {
  const { t, i18n } = useTranslation('insights');
  const { clientId } = useParams({ from: FROM });
  const { key: wanted } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/applications/$clientId/insights' });
  const { data: tree } = useSuspenseQuery(catalogTreeQuery(clientId));
  const [span, setSpan] = useState<Span>('days30');
  const [isCompared, setIsCompared] = useState(false);
  const names = nameCatalog(tree, i18n);
  const keys = names.groups.flatMap((group) => group.keys);
  const key = names.key(wanted ?? null);
  // Active keys first.
  const inOrder = keys.toSorted((a, b) => Number(a.archived) - Number(b.archived));

  if (keys.length === 0) {
    return (
      <Container size="lg" px={0} mx={0}>
        <PageHeader title={t('title')} description={t('description')} />
        <EmptyState
          icon={IconChartBar}
          title={t('none.title')}
          action={
            <LinkButton to="/applications/$clientId/catalog" params={{ clientId }}>
              {t('none.action')}
            </LinkButton>
          }
        >
          {t('none.text')}
        </EmptyState>
      </Container>
    );
  }
  return (
    <Container size="lg" px={0} mx={0}>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          key ? (
            <>
              <ImageButton clientId={clientId} chosen={key} span={span} />
              <CsvButton clientId={clientId} chosen={key} span={span} />
            </>
          ) : (
            <AllKeysCsv clientId={clientId} keys={inOrder} />
          )
        }
      />
      <Group mb="lg" align="flex-end">
        <Select
          label={t('key')}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t('all.title') }}
          placeholder={t('all.title')}
          value={key?.keyUid ?? null}
          onChange={(value) => void navigate({ search: value === null ? {} : { key: value }, replace: true })}
          data={names.groups
            .filter((group) => group.keys.length > 0)
            .map((group) => ({
              group: group.label,
              items: group.keys.map((each) => ({
                value: each.keyUid,
                label: each.archived ? t('archived', { label: each.label }) : each.label,
              })),
            }))}
          nothingFoundMessage={t('noKey')}
          flex={1}
          miw={220}
          maw={420}
        />
        {key && (
          <Select
            label={t('span')}
            allowDeselect={false}
            value={span}
            onChange={(value) => setSpan(value ?? 'days30')}
            data={(Object.keys(SPANS) as Span[]).map((value) => ({ value, label: t(`spans.${value}`) }))}
            w={200}
          />
        )}
        {key && (
          <Switch
            label={t('compare.action')}
            checked={isCompared}
            onChange={(event) => setIsCompared(event.currentTarget.checked)}
            mb={8}
          />
        )}
      </Group>
      {key ? (
        <KeyInsights clientId={clientId} chosen={key} span={span} isCompared={isCompared} />
      ) : (
        <AllKeys clientId={clientId} keys={inOrder} />
      )}
    </Container>
  );
}

type OfKey = { clientId: string; chosen: NamedKey; span: Span };

function KeyInsights({ clientId, chosen, span, isCompared }: OfKey & { isCompared: boolean }) {
  const { t, i18n } = useTranslation('insights');
  const query = useQuery(insightsQuery(clientId, chosen.keyUid, span));
  if (query.isError) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  // Never show another key's figures.
  if (query.isPending || query.data.keyUid !== chosen.keyUid) return <LoadingState />;
  const { users, chose, neverChose, defaultValue, at } = query.data;
  const number = new Intl.NumberFormat(i18n.language);
  const share = (count: number) =>
    new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 }).format(users && count / users);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Figure name={t('users')} value={number.format(users)} />
        <Figure name={t('chose')} value={number.format(chose)} note={share(chose)} />
        <Figure
          name={t('never')}
          value={number.format(neverChose)}
          note={`${share(neverChose)} · ${
            defaultValue === null ? t('noDefault') : t('haveDefault', { value: chosen.showValue(defaultValue) })
          }`}
        />
      </SimpleGrid>
      <Card withBorder component="section" padding="lg">
        <Title order={2} size="h4" mb="md">
          {t('now')}
        </Title>
        <ByValue clientId={clientId} insights={query.data} chosen={chosen} />
      </Card>
      {isCompared && <Compare clientId={clientId} chosen={chosen} span={span} />}
      <Card withBorder component="section" padding="lg">
        <Title order={2} size="h4">
          {t('time.title')}
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          {t('time.text')}
        </Text>
        <OverTime insights={query.data} showValue={chosen.showValue} />
      </Card>
      <Text size="xs" c="dimmed">
        {t('counted')} <Moment at={at} />
      </Text>
    </Stack>
  );
}

function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={28} fw={650} lh={1.3}>
        {value}
      </Text>
      {note !== undefined && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
    </Card>
  );
}

function ImageButton({ clientId, chosen, span }: OfKey) {
  const { t, i18n } = useTranslation('insights');
  const { data } = useQuery(insightsQuery(clientId, chosen.keyUid, span));
  const draw = (insights: Insights) => {
    const number = new Intl.NumberFormat(i18n.language);
    const image = drawInsights(insights, {
      title: chosen.label,
      subtitle: `${t('chose')}: ${number.format(insights.chose)} / ${number.format(insights.users)} · ${new Intl.DateTimeFormat(
        dateLocale(i18n.language),
        { dateStyle: 'long' },
      ).format(readTime(insights.at))}`,
      language: i18n.language,
      showValue: chosen.showValue,
    });
    download(`${chosen.groupName}-${chosen.name}.svg`, 'image/svg+xml', image);
  };
  return (
    <Button
      variant="default"
      leftSection={<IconPhoto size={16} aria-hidden />}
      disabled={!data || data.keyUid !== chosen.keyUid || data.values.length === 0}
      onClick={() => data && draw(data)}
    >
      {t('image')}
    </Button>
  );
}

function CsvButton({ clientId, chosen, span }: OfKey) {
  const { t } = useTranslation('insights');
  const loading = useMutation({
    mutationFn: () => loadCsv(clientId, chosen.keyUid, span),
    onSuccess: (csv) => download(`${chosen.groupName}-${chosen.name}.csv`, 'text/csv;charset=utf-8', csv),
    onError: notifyProblem,
  });
  const loadOnce = useMutateOnce(loading);
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={loading.isPending}
      onClick={() => loadOnce()}
    >
      {t('csv')}
    </Button>
  );
}
