import { ColorSwatch, Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateLocale } from '../../shell/moment.tsx';
import { colorOf, TimeChart } from '../../shell/time-chart.tsx';
import classes from './insights.module.css';
import type { Insights } from './queries.ts';

const COLOURS = ['inn.6', 'blue.5', 'orange.5', 'grape.5', 'yellow.6', 'cyan.6', 'red.5', 'lime.6'];

/** Stacked bars, with a colour for each of the most common values; the rest share one. */
export function OverTime({ insights, showValue }: { insights: Insights; showValue(value: unknown): string }) {
  const { t, i18n } = useTranslation('insights');
  const [asTable, setAsTable] = useState(false);
  const { values, periods, earlier } = insights;
  const isOpen = periods.every(({ counts }) => counts.length === 0);
  const ranked = values.map((value, place) => ({ ...value, place })).sort((a, b) => b.count - a.count);
  const shown = isOpen ? [] : ranked.slice(0, COLOURS.length).sort((a, b) => a.place - b.place);
  const rest = isOpen ? [] : ranked.slice(COLOURS.length);
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { day: 'numeric', month: 'short', timeZone: 'UTC' });

  // Series have generated names, so that a value's name never collides with one of the chart's own.
  const series = [
    ...shown.map(({ place, value }, index) => ({
      name: `value-${place}`,
      label: showValue(value),
      color: COLOURS[index] as string,
    })),
    ...(rest.length > 0 ? [{ name: 'rest', label: t('rest'), color: 'gray.5' }] : []),
    ...(isOpen ? [{ name: 'total', label: t('chose'), color: 'inn.6' }] : []),
  ];
  const points = periods.map(({ from, total, counts }) => ({
    id: from,
    at: date.format(new Date(`${from}T00:00:00Z`)),
    counts: {
      total,
      rest: rest.reduce((sum, { place }) => sum + (counts[place] ?? 0), 0),
      ...Object.fromEntries(shown.map(({ place }) => [`value-${place}`, counts[place] ?? 0])),
    } as Record<string, number>,
  }));
  const isBlank = periods.every(({ total }) => total === 0);
  return (
    <Stack>
      <Switch
        label={t('time.asTable')}
        checked={asTable}
        onChange={(event) => setAsTable(event.currentTarget.checked)}
      />
      {asTable ? (
        <Table.ScrollContainer minWidth={300} type="native" mah={420}>
          <Table stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('time.from')}</Table.Th>
                {series.map(({ name, label }) => (
                  <Table.Th key={name} ta="end">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {points.map(({ id, at, counts }) => (
                <Table.Tr key={id}>
                  <Table.Td>{at}</Table.Td>
                  {series.map(({ name }) => (
                    <Table.Td key={name} ta="end" className={classes.number}>
                      {counts[name]}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      ) : isBlank ? (
        <Text c="dimmed">{t('time.nothing')}</Text>
      ) : (
        <div role="img" aria-label={t('time.title')}>
          <TimeChart as="bars" points={points} series={series} />
          <Group gap="md" justify="center" mt="xs">
            {series.map(({ name, label, color }) => (
              <Group key={name} gap={6} wrap="nowrap">
                <ColorSwatch color={colorOf(color)} size={10} />
                <Text size="sm" c="dimmed">
                  {label}
                </Text>
              </Group>
            ))}
          </Group>
        </div>
      )}
      {earlier.total > 0 && (
        <Text size="sm" c="dimmed">
          {t('time.earlier', { count: earlier.total })}
        </Text>
      )}
    </Stack>
  );
}
