import {
  Anchor,
  ColorSwatch,
  Group,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SERVICE_URL } from '../../api/client.ts';
import { LinkAnchor } from '../../shell/links.tsx';
import { dateLocale, readTime } from '../../shell/moment.tsx';
import { problemText } from '../../shell/problem-text.ts';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { colorOf, TimeChart } from '../../shell/time-chart.tsx';
import classes from './overview.module.css';
import { activityQuery, RANGES, type Range } from './queries.ts';

const CHARTS = [
  { name: 'requests', series: ['requests', 'errors'] },
  { name: 'users', series: ['usersCreated', 'usersErased'] },
  { name: 'selections', series: ['selectionsSaved', 'selectionsUnset'] },
  { name: 'tokens', series: ['tokensIssued', 'tokensFailed'] },
] as const;

/** For example 0007, which two operations return. */
const FEW_MESSAGES = 3;

const COLORS = ['inn.6', 'orange.6'];

/** Activity over time, as charts or, for people who cannot see them, as tables. */
export function ActivityPanel({ clientId }: { clientId: string }) {
  const { t, i18n } = useTranslation('overview');
  const [range, setRange] = useState<Range>('day');
  const [asTable, setAsTable] = useState(false);
  const activity = useQuery(activityQuery(clientId, range));
  const number = new Intl.NumberFormat(i18n.language);
  const { step } = RANGES[range];
  const label = (at: string): string =>
    new Intl.DateTimeFormat(
      dateLocale(i18n.language),
      step === 'day'
        ? { month: 'short', day: 'numeric', timeZone: 'UTC' }
        : range === 'week'
          ? { weekday: 'short', hour: 'numeric', minute: '2-digit' }
          : { hour: 'numeric', minute: '2-digit' },
    ).format(readTime(at));
  return (
    <Stack component="section" aria-labelledby="activity" gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4" id="activity">
          {t('activity.title')}
        </Title>
        <Group gap="md">
          <Switch
            label={t('activity.asTable')}
            checked={asTable}
            onChange={(event) => setAsTable(event.currentTarget.checked)}
          />
          <SegmentedControl
            aria-label={t('activity.range')}
            value={range}
            onChange={(value) => setRange(value as Range)}
            data={Object.keys(RANGES).map((value) => ({ value, label: t(`activity.${value as Range}`) }))}
          />
        </Group>
      </Group>
      {activity.isPending && <LoadingState />}
      {activity.isError && <ErrorState error={activity.error} retry={() => activity.refetch()} />}
      {activity.data && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm">
          {CHARTS.map(({ name, series }) => {
            const points = activity.data.points.map((point) => ({
              id: point.at,
              at: label(point.at),
              counts: { [series[0]]: point[series[0]], [series[1]]: point[series[1]] },
            }));
            const lines = series.map((each, index) => ({
              name: each,
              label: t(`activity.${each}`),
              color: COLORS[index] as string,
            }));
            return (
              <Paper key={name} withBorder p="md" className={classes.card ?? ''}>
                <Group justify="space-between" gap="xs" mb="xs">
                  <Title order={3} size="h6">
                    {t(`activity.chart.${name}`)}
                  </Title>
                  <Group gap="md">
                    {lines.map((line) => (
                      <Group key={line.name} gap={6}>
                        <ColorSwatch color={colorOf(line.color)} size={10} aria-hidden />
                        <Text
                          size="sm"
                          c="dimmed"
                        >{`${line.label}: ${number.format(activity.data.total[line.name])}`}</Text>
                      </Group>
                    ))}
                  </Group>
                </Group>
                {asTable ? (
                  <section
                    className={classes.tableScroll}
                    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
                    tabIndex={0}
                    aria-label={t(`activity.chart.${name}`)}
                  >
                    <Table stickyHeader>
                      <Table.Thead>
                        <Table.Tr>
                          <Table.Th>{t(step === 'hour' ? 'activity.time' : 'activity.dayColumn')}</Table.Th>
                          {lines.map((line) => (
                            <Table.Th key={line.name} ta="right">
                              {line.label}
                            </Table.Th>
                          ))}
                        </Table.Tr>
                      </Table.Thead>
                      <Table.Tbody>
                        {activity.data.points.toReversed().map((point) => (
                          <Table.Tr key={point.at}>
                            <Table.Td>{label(point.at)}</Table.Td>
                            {series.map((each) => (
                              <Table.Td key={each} ta="right">
                                {number.format(point[each])}
                              </Table.Td>
                            ))}
                          </Table.Tr>
                        ))}
                      </Table.Tbody>
                    </Table>
                  </section>
                ) : (
                  // The figures are next to it, and in the table: keyboards and screen readers skip the charts.
                  <div aria-hidden>
                    <TimeChart as="areas" points={points} series={lines} />
                  </div>
                )}
              </Paper>
            );
          })}
          {activity.data.errorsByCode.length > 0 && (
            <ErrorsByCode clientId={clientId} errors={activity.data.errorsByCode} />
          )}
        </SimpleGrid>
      )}
    </Stack>
  );
}

type ErrorsOfCode = { code: string; count: number; messages: string[] };

/** Further down: the translations of its messages are not part of the first view. */
function ErrorsByCode({ clientId, errors }: { clientId: string; errors: readonly ErrorsOfCode[] }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const { t, i18n, ready } = useTranslation(inViewport ? ['overview', 'problems'] : 'overview', { useSuspense: false });
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Paper ref={ref} withBorder p="md" className={classes.card ?? ''}>
      <Title order={3} size="h6" mb="xs">
        {t('activity.byCode')}
      </Title>
      <Table>
        <Table.Tbody>
          {errors.slice(0, 8).map(({ code, count, messages }) => (
            <Table.Tr key={code}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <LinkAnchor to="/applications/$clientId/requests" params={{ clientId }} search={{ code }}>
                  {code}
                </LinkAnchor>
              </Table.Td>
              <Table.Td>
                {/* A code with many meanings says nothing here: see the requests and the guide. */}
                {messages.length <= FEW_MESSAGES &&
                  messages.map((message) => (
                    <Text key={message} size="sm">
                      {ready ? problemText(message) : message}
                    </Text>
                  ))}
                <Anchor size="sm" href={`${SERVICE_URL}/guide/errors#:~:text=${code}`} target="_blank" rel="noreferrer">
                  {t('activity.whatToDo', { code })}
                </Anchor>
              </Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {number.format(count)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
