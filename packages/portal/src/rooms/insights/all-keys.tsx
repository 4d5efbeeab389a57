import { Button, Center, Progress, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { LinkAnchor } from '../../shell/links.tsx';
import { ErrorState } from '../../shell/states.tsx';
import classes from './insights.module.css';
import { allKeysQuery, type KeyTotals } from './queries.ts';

/** Keys shown at a time: a catalog can have thousands. */
const SHOWN = 100;

/** A row for each key: how many users chose, how many never did, and the most common choice. */
export function AllKeys({ clientId, keys }: { clientId: string; keys: readonly NamedKey[] }) {
  const { t } = useTranslation('insights');
  const { t: shell } = useTranslation();
  const [shown, setShown] = useState(SHOWN);
  const query = useQuery(allKeysQuery(clientId));
  if (query.isError) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  const { data } = query;
  const totals = new Map(data?.items.map((item) => [item.keyUid, item]));
  // Published after the counts were made.
  const none = data?.counted === 1 ? { chose: 0, neverChose: data.users ?? 0, mostCommon: null } : undefined;
  return (
    <>
      {data && data.counted < 1 && <Counting share={data.counted} />}
      <Table verticalSpacing="xs" className={classes.keys ?? ''}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('key')}</Table.Th>
            <Table.Td visibleFrom="sm" className={classes.share ?? ''} />
            <Table.Th ta="end">{t('chose')}</Table.Th>
            <Table.Th ta="end">{t('never')}</Table.Th>
            <Table.Th visibleFrom="sm">{t('all.most')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.slice(0, shown).map((key) => (
            <KeyRow
              key={key.keyUid}
              clientId={clientId}
              named={key}
              users={data?.users ?? 0}
              totals={totals.get(key.keyUid) ?? none}
            />
          ))}
        </Table.Tbody>
      </Table>
      {keys.length > shown && (
        <Center mt="md">
          <Button variant="default" onClick={() => setShown(shown + SHOWN)}>
            {shell('more')}
          </Button>
        </Center>
      )}
    </>
  );
}

function Counting({ share }: { share: number }) {
  const { t } = useTranslation('insights');
  return (
    <>
      <Text size="sm" c="dimmed" mb={4}>
        {t('all.counting', { share })}
      </Text>
      <Progress value={share * 100} mb="md" aria-label={t('all.counting', { share })} />
    </>
  );
}

type Counted = Pick<KeyTotals, 'chose' | 'neverChose' | 'mostCommon'>;
type RowProps = { clientId: string; named: NamedKey; users: number; totals: Counted | undefined };

function KeyRow({ clientId, named, users, totals }: RowProps) {
  const { t, i18n } = useTranslation('insights');
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  const share = (count: number) => percent.format(users && count / users);
  return (
    <Table.Tr>
      <Table.Td miw={130}>
        <LinkAnchor to="/applications/$clientId/insights" params={{ clientId }} search={{ key: named.keyUid }} fw={600}>
          {named.archived ? t('archived', { label: named.label }) : named.label}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {named.groupLabel}
        </Text>
      </Table.Td>
      {totals ? (
        <>
          <Table.Td visibleFrom="sm" className={classes.share ?? ''}>
            <svg aria-hidden="true" className={classes.track} width="100%" height="14">
              <rect width={`${users && (totals.chose / users) * 100}%`} height="14" rx="4" />
            </svg>
          </Table.Td>
          <Table.Td ta="end" className={classes.number ?? ''}>
            {share(totals.chose)}
          </Table.Td>
          <Table.Td ta="end" className={classes.number ?? ''}>
            {share(totals.neverChose)}
          </Table.Td>
          <Table.Td visibleFrom="sm">
            {totals.mostCommon ? (
              <Text size="sm" lineClamp={2}>
                {`${named.showValue(totals.mostCommon.value)} (${percent.format(totals.mostCommon.count / totals.chose)})`}
              </Text>
            ) : (
              totals.chose === 0 && (
                <Text size="sm" c="dimmed">
                  {t('nobody')}
                </Text>
              )
            )}
          </Table.Td>
        </>
      ) : (
        <Table.Td colSpan={4}>
          <Skeleton height={14} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}
