import { Button, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DialogActions } from '../shell/dialog-actions.tsx';
import { MainAct } from '../shell/main-act.tsx';
import { hasUnsaved } from './unsaved.ts';

/** Used once in a room whose forms call useUnsaved(). When the window is closed, the browser asks. */
export function AskBeforeLeaving() {
  const { t } = useTranslation();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: hasUnsaved,
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
