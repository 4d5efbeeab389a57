import { Badge, Table, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Moment, openFromTime } from '../../shell/moment.tsx';
import { useInSteps } from '../../shell/use-in-steps.ts';
import classes from './requests.module.css';

export type ListedRequest = {
  requestUid: string;
  at: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  milliseconds: number;
};

/** Clicking a row opens its request; for keyboards, the path in it is a button. */
export function RequestTable({ items, onOpen }: { items: ListedRequest[]; onOpen(requestUid: string): void }) {
  const { t, i18n } = useTranslation('requests');
  const shown = useInSteps(items);
  const time = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  return (
    <Table highlightOnHover className={classes.table ?? ''} aria-label={t('title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={classes.status ?? ''}>{t('column.status')}</Table.Th>
          <Table.Th>{t('column.request')}</Table.Th>
          <Table.Th ta="right" visibleFrom="sm" className={classes.status ?? ''}>
            {t('column.duration')}
          </Table.Th>
          <Table.Th ta="right" visibleFrom="sm" className={classes.status ?? ''}>
            {t('column.time')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map(({ requestUid, at, method, path, status, code, milliseconds }) => (
          <Table.Tr key={requestUid} className={classes.row ?? ''} onClick={openFromTime}>
            <Table.Td className={classes.status ?? ''}>
              <Status status={status} code={code} />
            </Table.Td>
            <Table.Td>
              <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(requestUid)} aria-haspopup="dialog">
                <Text span className={classes.method ?? ''}>
                  {method}
                </Text>{' '}
                <Text span className={classes.path ?? ''}>
                  {path}
                </Text>
              </UnstyledButton>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                <Moment at={at} /> · {time.format(milliseconds)} ms
              </Text>
            </Table.Td>
            <Table.Td ta="right" visibleFrom="sm" className={classes.figure ?? ''}>
              {time.format(milliseconds)} ms
            </Table.Td>
            <Table.Td ta="right" visibleFrom="sm" className={classes.time ?? ''}>
              <Moment at={at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

export function Status({ status, code }: { status: number; code: string | null }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : status >= 300 ? 'blue' : 'green';
  return (
    <Badge variant="light" color={color} radius="sm" miw="max-content" className={classes.badge ?? ''}>
      {status}
      {code !== null && ` · ${code}`}
    </Badge>
  );
}
