import { Card, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { dateLocale } from '../../shell/moment.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import classes from './insights.module.css';
import { comparisonQuery, type Span } from './queries.ts';

/** The period next to the one before it, for each value: how many users, which share, and the difference. */
export function Compare({ clientId, chosen, span }: { clientId: string; chosen: NamedKey; span: Span }) {
  const { t, i18n } = useTranslation('insights');
  const query = useQuery(comparisonQuery(clientId, chosen.keyUid, span));
  if (query.isError) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  const { data } = query;
  const number = new Intl.NumberFormat(i18n.language);
  const change = new Intl.NumberFormat(i18n.language, { signDisplay: 'exceptZero' });
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  const range = ({ from, to }: { from: string; to: string }) =>
    date.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`));
  const cell = (count: number, total: number) =>
    total === 0 ? number.format(count) : `${number.format(count)} (${percent.format(count / total)})`;
  return (
    <Card withBorder component="section" padding="lg" aria-label={t('compare.title')}>
      <Title order={2} size="h4">
        {t('compare.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('time.text')}
      </Text>
      {!data || data.keyUid !== chosen.keyUid ? (
        <LoadingState />
      ) : (
        <Table.ScrollContainer minWidth={420} type="native">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('value')}</Table.Th>
                <Table.Th ta="end">{range(data.before)}</Table.Th>
                <Table.Th ta="end">{range(data.now)}</Table.Th>
                <Table.Th ta="end">{t('compare.change')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.values.map(({ value, before, now }) => (
                <Table.Tr key={JSON.stringify(value)}>
                  <Table.Td>{chosen.showValue(value)}</Table.Td>
                  <Table.Td ta="end" className={classes.number ?? ''}>
                    {cell(before, data.before.total)}
                  </Table.Td>
                  <Table.Td ta="end" className={classes.number ?? ''}>
                    {cell(now, data.now.total)}
                  </Table.Td>
                  <Table.Td ta="end" className={classes.number ?? ''}>
                    {change.format(now - before)}
                  </Table.Td>
                </Table.Tr>
              ))}
              <Table.Tr fw={600}>
                <Table.Td>{t('compare.users')}</Table.Td>
                <Table.Td ta="end">{number.format(data.before.total)}</Table.Td>
                <Table.Td ta="end">{number.format(data.now.total)}</Table.Td>
                <Table.Td ta="end">{change.format(data.now.total - data.before.total)}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}
