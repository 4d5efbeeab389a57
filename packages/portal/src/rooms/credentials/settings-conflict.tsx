import { Alert, Button, Code, Group, Table, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { spellDuration } from '../../shell/duration.ts';

type Conflict = { label: string; theirs: unknown; mine: unknown; isDuration?: boolean };

/** Someone else changed the same setting meanwhile: shows theirs and mine, side by side. */
export function SettingsConflict(props: { conflicts: readonly Conflict[]; onTheirs(): void; onMine(): void }) {
  const { conflicts, onTheirs, onMine } = props;
  const { t, i18n } = useTranslation('credentials');
  const show = (value: unknown, isDuration = false): string => {
    if (typeof value === 'number')
      return isDuration ? spellDuration(value, i18n.language) : value.toLocaleString(i18n.language);
    if (typeof value === 'boolean') return value ? t('conflict.on') : t('conflict.off');
    // For a logo, its type is enough.
    return Array.isArray(value) ? value.join(', ') || '–' : String(value).split(';')[0] || '–';
  };
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('conflict.title')}
      role="alert"
    >
      <Text size="sm">{t('conflict.text')}</Text>
      <Table my="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('conflict.setting')}</Table.Th>
            <Table.Th>{t('conflict.theirs')}</Table.Th>
            <Table.Th>{t('conflict.mine')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {conflicts.map(({ label, theirs, mine, isDuration }) => (
            <Table.Tr key={label}>
              <Table.Td>{label}</Table.Td>
              <Table.Td>
                <Code>{show(theirs, isDuration)}</Code>
              </Table.Td>
              <Table.Td>
                <Code>{show(mine, isDuration)}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={onTheirs}>
          {t('conflict.takeTheirs')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onMine}>
          {t('conflict.keepMine')}
        </Button>
      </Group>
    </Alert>
  );
}
