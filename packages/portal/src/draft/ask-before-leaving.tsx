import { Button, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DialogActions } from '../shell/dialog-actions.tsx';
import { MainAct } from '../shell/main-act.tsx';
import { hasUnsaved } from './unsaved.ts';

type Place = { pathname: string; search: object };

/** The same page and item: only a dialog opens or closes, and the input stays. */
function isSamePlace(current: Place, next: Place): boolean {
  const itemOf = ({ search }: Place) => ('item' in search ? search.item : undefined);
  return current.pathname === next.pathname && itemOf(current) === itemOf(next);
}

/** Used once in a room whose forms call useUnsaved(). When the window is closed, the browser asks. */
export function AskBeforeLeaving() {
  const { t } = useTranslation();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasUnsaved() && !isSamePlace(current, next),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  });
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={t('leave.title')}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text size="sm">{t('leave.text')}</Text>
        <DialogActions>
          <Button variant="default" onClick={() => proceed?.()}>
            {t('leave.go')}
          </Button>
          <MainAct onClick={() => reset?.()}>{t('leave.stay')}</MainAct>
        </DialogActions>
      </Stack>
    </Modal>
  );
}
