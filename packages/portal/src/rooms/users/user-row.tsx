import { Badge, Checkbox, Table, Text } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../../shell/links.tsx';
import { openFromTime } from '../../shell/moment.tsx';
import { useInSteps } from '../../shell/use-in-steps.ts';
import { type Column, UserCell } from './columns.tsx';
import type { ListedUser } from './queries.ts';
import classes from './users.module.css';

type RowProps = {
  clientId: string;
  columns: readonly Column[];
  onChoose(userUid: string): void;
  onOpen(): void;
};

export function UserRows(props: RowProps & { users: readonly ListedUser[]; chosenUids: ReadonlySet<string> }) {
  const { users, chosenUids, ...rest } = props;
  return useInSteps(users).map((user) => (
    <UserRow key={user.userUid} user={user} isChosen={chosenUids.has(user.userUid)} {...rest} />
  ));
}

/** Rendered only when something of it changes: typing in the search or choosing another user leaves it alone. */
const UserRow = memo(function UserRow(props: RowProps & { user: ListedUser; isChosen: boolean }) {
  const { t } = useTranslation('users');
  const { clientId, user, columns, isChosen, onChoose, onOpen } = props;
  const { userUid, clientUserId, clientUserName, status } = user;
  return (
    <Table.Tr className={classes.row} onClick={openFromTime}>
      <Table.Td>
        <Checkbox
          className={classes.above ?? ''}
          aria-label={t('bulk.one', { name: clientUserName })}
          checked={isChosen}
          onChange={() => onChoose(userUid)}
        />
      </Table.Td>
      <Table.Td className={classes.who ?? ''}>
        <LinkAnchor
          to="/applications/$clientId/users/$userUid"
          params={{ clientId, userUid }}
          onClick={onOpen}
          className={classes.cover ?? ''}
          fw={600}
          lineClamp={2}
          // It covers the whole row, so it shows texts that may be cut off.
          {...(isLong(clientUserName, clientUserId) && { title: `${clientUserName}\n${clientUserId}` })}
        >
          {clientUserName}
        </LinkAnchor>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {clientUserId}
        </Text>
        {status === 'suspended' && !columns.includes('state') && (
          <Badge size="xs" color="yellow" variant="light" tt="none">
            {t('status.suspended')}
          </Badge>
        )}
      </Table.Td>
      {columns.map((column) => (
        <Table.Td key={column} visibleFrom={column === 'uid' ? 'md' : 'xs'} className={classes.whole ?? ''}>
          <UserCell column={column} user={user} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
});

function isLong(...texts: string[]): boolean {
  return texts.some((text) => text.length > 60);
}
