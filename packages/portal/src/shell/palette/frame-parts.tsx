import { ActionIcon, Button, Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentProps, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { loadWhenReachable } from '../../api/connection.ts';
import { useOnceSet } from '../use-once-set.ts';
import { COMMAND, palette, shortcuts, usePaletteKeys } from './open.ts';

/** Loaded on first use, so that the first page stays small. */
const Palette = lazy(loadWhenReachable(async () => ({ default: (await import('./palette.tsx')).Palette })));
const ShortcutsDialog = lazy(
  loadWhenReachable(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog })),
);

export function PaletteDialogs(props: ComponentProps<typeof Palette>) {
  usePaletteKeys();
  const [isFinderWanted, isListWanted] = [useOnceSet(palette.use()), useOnceSet(shortcuts.use())];
  return (
    <Suspense>
      {isFinderWanted && <Palette {...props} />}
      {isListWanted && <ShortcutsDialog />}
    </Suspense>
  );
}

/** On a phone there is only room for its icon. */
export function PaletteButton() {
  const { t } = useTranslation();
  const open = () => palette.set(true);
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        fw={400}
        c="dimmed"
        visibleFrom="md"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">{COMMAND} K</Kbd>}
        onClick={open}
      >
        {t('search')}
      </Button>
      <ActionIcon variant="default" size="lg" radius="xl" hiddenFrom="md" aria-label={t('search')} onClick={open}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  );
}
