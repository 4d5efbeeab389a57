import { Button, Center, Skeleton, Table, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NamedKey } from '../../api/catalog-names.ts';
import { LinkAnchor } from '../../shell/links.tsx';
import classes from './insights.module.css';
import { mostCommon, totalsQuery } from './queries.ts';

/** Of thousands, this many at a time. */
const SHOWN = 100;

/** A row for each key: how many users chose, how many never did, and the most common choice. */
export function AllKeys({ clientId, keys }: { clientId: string; keys: readonly NamedKey[] }) {
  const { t } = useTranslation('insights');
  const { t: shell } = useTranslation();
  const [shown, setShown] = useState(SHOWN);
  return (
    <>
      <Table verticalSpacing="xs">
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
            <KeyRow key={key.keyUid} clientId={clientId} named={key} />
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

function KeyRow({ clientId, named }: { clientId: string; named: NamedKey }) {
  const { t, i18n } = useTranslation('insights');
  const { ref, inViewport } = useInViewport<HTMLTableRowElement>();
  // Counting takes a while among millions, so only visible rows are loaded.
  const query = useQuery({ ...totalsQuery(clientId, named.keyUid), enabled: inViewport });
  const insights = query.data;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 1 });
  const share = (count: number) => percent.format(insights?.users ? count / insights.users : 0);
  const most = insights && mostCommon(insights);
  return (
    <Table.Tr ref={ref}>
      <Table.Td miw={130}>
        <LinkAnchor to="/applications/$clientId/insights" params={{ clientId }} search={{ key: named.keyUid }} fw={600}>
          {named.archived ? t('archived', { label: named.label }) : named.label}
        </LinkAnchor>
        <Text size="xs" c="dimmed">
          {named.groupLabel}
        </Text>
      </Table.Td>
      {insights ? (
        <>
          <Table.Td visibleFrom="sm" className={classes.share ?? ''}>
            <svg aria-hidden="true" className={classes.track} width="100%" height="14">
              <rect width={`${insights.users && (insights.chose / insights.users) * 100}%`} height="14" rx="4" />
            </svg>
          </Table.Td>
          <Table.Td ta="end" className={classes.number ?? ''}>
            {share(insights.chose)}
          </Table.Td>
          <Table.Td ta="end" className={classes.number ?? ''}>
            {share(insights.neverChose)}
          </Table.Td>
          <Table.Td visibleFrom="sm">
            {most ? (
              <Text size="sm" lineClamp={2}>
                {`${named.showValue(most.value)} (${percent.format(most.count / insights.chose)})`}
              </Text>
            ) : (
              <Text size="sm" c="dimmed">
                {t('nobody')}
              </Text>
            )}
          </Table.Td>
        </>
      ) : (
        <Table.Td colSpan={4}>
          {query.isError ? (
            <Text size="sm" c="red">
              {query.error.message}
            </Text>
          ) : (
            <Skeleton height={14} />
          )}
        </Table.Td>
      )}
    </Table.Tr>
  );
}
