import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import type { NamedKey } from '../../api/catalog-names.ts';
import { LinkAnchor } from '../../shell/links.tsx';
import { writeCondition } from '../users/filters.ts';
import classes from './insights.module.css';
import type { Insights } from './queries.ts';

/**
 * A bar for each value, in catalog order, proportional to its share, with a link to the users who chose it. It is also a
 * table, for screen readers.
 */
export function ByValue({ clientId, insights, chosen }: { clientId: string; insights: Insights; chosen: NamedKey }) {
  const { t, i18n } = useTranslation('insights');
  const canSeeUsers = useCan(clientId)('users');
  const { keyUid, showValue } = chosen;
  const { values, chose, otherValues } = insights;
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  if (values.length === 0) return <Text c="dimmed">{t('nobody')}</Text>;
  return (
    <Stack gap="xs">
      <Table className={classes.bars} withRowBorders={false} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('value')}</Table.Th>
            <Table.Td className={classes.bar} />
            <Table.Th ta="end">{t('count')}</Table.Th>
            <Table.Th ta="end">{t('share')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {values.map(({ value, count, offered }) => (
            <Table.Tr key={JSON.stringify(value)}>
              <Table.Td>
                <Group gap={6}>
                  <Text size="sm" lineClamp={4}>
                    {showValue(value)}
                  </Text>
                  {!offered && (
                    <Badge size="xs" color="gray" variant="light" tt="none">
                      {t('notOffered')}
                    </Badge>
                  )}
                </Group>
              </Table.Td>
              <Table.Td className={classes.bar}>
                <svg aria-hidden="true" className={classes.track} width="100%" height="14">
                  <rect width={`${chose && (count / chose) * 100}%`} height="14" rx="4" />
                </svg>
              </Table.Td>
              <Table.Td ta="end">
                <Text size="sm" className={classes.number}>
                  {canSeeUsers && count > 0 && !Array.isArray(value) ? (
                    <LinkAnchor
                      to="/applications/$clientId/users"
                      params={{ clientId }}
                      search={{ where: [writeCondition({ keyUid, operator: 'is', value: String(value) })] }}
                      title={t('showUsers')}
                    >
                      {number.format(count)}
                    </LinkAnchor>
                  ) : (
                    number.format(count)
                  )}
                </Text>
              </Table.Td>
              <Table.Td ta="end">
                <Text size="sm" c="dimmed" className={classes.number}>
                  {percent.format(chose && count / chose)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {otherValues > 0 && (
        <Text size="sm" c="dimmed">
          {t('others', { count: otherValues })}
        </Text>
      )}
    </Stack>
  );
}
