import { Badge, Button, Group, Kbd, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import classes from '../../shell/save-bar.module.css';

type Props = { isChanged: boolean; isPending: boolean; onSave(): void; onReset?: () => void; label?: string };

/** Below each editor: saves the input to the draft, or discards it. */
export function SaveBar({ isChanged, isPending, onSave, onReset, label }: Props) {
  const { t } = useTranslation('catalog');
  useHotkeys([['mod+S', onSave]], []);
  return (
    <Group justify="space-between" className={classes.bar ?? ''}>
      <Group gap="xs">
        <Button px={{ base: 'sm', xs: 18 }} onClick={onSave} loading={isPending} disabled={!isChanged}>
          {label ?? t('save')}
        </Button>
        {onReset && (
          <Button px={{ base: 'sm', xs: 18 }} variant="default" disabled={!isChanged} onClick={onReset}>
            {t('reset')}
          </Button>
        )}
        {isChanged && onReset && (
          <Badge variant="dot" visibleFrom="xs">
            {t('unsaved')}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" visibleFrom="sm">
        <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">S</Kbd>
      </Text>
    </Group>
  );
}
