import { Badge, Box, Button, Checkbox, Group, Popover, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Copy } from '../../shell/copy.tsx';
import { Moment } from '../../shell/moment.tsx';
import type { ListedUser } from './queries.ts';
import classes from './users.module.css';

/** Next to the name, in this order. */
const COLUMNS = ['uid', 'email', 'state', 'created', 'updated'] as const;
export type Column = (typeof COLUMNS)[number];

/** As last used in this browser. */
export function useColumns() {
  const [kept, setKept] = useLocalStorage<Column[]>({
    key: 'innkeeper-user-columns',
    defaultValue: ['uid', 'created'],
    getInitialValueInEffect: false,
  });
  const columns = useMemo(() => COLUMNS.filter((column) => Array.isArray(kept) && kept.includes(column)), [kept]);
  return [columns, setKept] as const;
}

export function ColumnChoice({ columns, onChange }: { columns: readonly Column[]; onChange(columns: Column[]): void }) {
  const { t } = useTranslation('users');
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          // A phone only has room for the name.
          visibleFrom="xs"
          leftSection={<IconColumns3 size={14} aria-hidden />}
        >
          {t('columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group
          aria-label={t('columns')}
          value={[...columns]}
          onChange={(chosen) => onChange(COLUMNS.filter((column) => chosen.includes(column)))}
        >
          <Stack gap="xs">
            {COLUMNS.map((column) => (
              <Checkbox key={column} value={column} label={t(column)} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}

export function UserCell({ column, user }: { column: Column; user: ListedUser }) {
  const { t } = useTranslation('users');
  switch (column) {
    case 'uid':
      return (
        <Group gap={4} wrap="nowrap">
          <Text size="xs" ff="monospace" c="dimmed">
            {user.userUid}
          </Text>
          <Box className={classes.above}>
            <Copy value={user.userUid} label={t('copyUid')} />
          </Box>
        </Group>
      );
    case 'email':
      return (
        <Text size="sm" className={classes.email ?? ''} title={user.email}>
          {user.email || '–'}
        </Text>
      );
    case 'state':
      return (
        <Badge size="sm" color={user.status === 'suspended' ? 'yellow' : 'green'} variant="light" tt="none">
          {user.status === 'suspended' ? t('status.suspended') : t('filter.active')}
        </Badge>
      );
    case 'created':
    case 'updated':
      return (
        <Text size="sm">
          <Moment at={column === 'created' ? user.createdAt : user.updatedAt} />
        </Text>
      );
  }
}
