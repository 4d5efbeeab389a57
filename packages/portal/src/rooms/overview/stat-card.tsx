import { Paper, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../../shell/links.tsx';
import type { RequestSearch } from '../requests/search.ts';
import classes from './overview.module.css';

type Room = '/applications/$clientId/users' | '/applications/$clientId/insights' | '/applications/$clientId/requests';

/** One figure; the whole card links to its source. */
export function StatCard(props: {
  label: string;
  total: { count: number; more: boolean };
  note?: string | undefined;
  to?: Room;
  search?: RequestSearch;
}) {
  const { label, total, note, to, search = {} } = props;
  const { i18n } = useTranslation();
  const { clientId } = useParams({ from: '/frame/applications/$clientId/' });
  const figure = new Intl.NumberFormat(i18n.language).format(total.count) + (total.more ? '+' : '');
  return (
    <Paper withBorder p="md" className={classes.card ?? ''}>
      <Text size="sm" c="dimmed">
        {to === undefined ? (
          label
        ) : (
          <LinkAnchor to={to} params={{ clientId }} search={search} c="inherit" className={classes.cover ?? ''}>
            {label}
          </LinkAnchor>
        )}
      </Text>
      <Text className={classes.figure ?? ''}>{figure}</Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  );
}
