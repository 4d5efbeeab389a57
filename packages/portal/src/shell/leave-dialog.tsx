import { Button, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DialogActions } from './dialog-actions.tsx';
import { MainAct } from './main-act.tsx';

/** Asks before input is lost. */
export function LeaveDialog(props: { opened: boolean; onLeave(): void; onStay(): void }) {
  const { opened, onLeave, onStay } = props;
  const { t } = useTranslation();
  return (
    <Modal opened={opened} onClose={onStay} title={t('leave.title')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack>
        <Text size="sm">{t('leave.text')}</Text>
        <DialogActions>
          <Button variant="default" onClick={onLeave}>
            {t('leave.go')}
          </Button>
          <MainAct onClick={onStay}>{t('leave.stay')}</MainAct>
        </DialogActions>
      </Stack>
    </Modal>
  );
}
