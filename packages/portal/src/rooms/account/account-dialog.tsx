import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Needs } from './own-proof.tsx';

export type AccountDialogProps = { opened: boolean; onClose(): void; needs: Needs };

/**
 * Its content is cleared when it closes: no password, secret or code stays in it. While it is held, only its own
 * buttons close it, so that a secret shown once is not lost by accident.
 */
export function AccountDialog(props: {
  opened: boolean;
  onClose(): void;
  title: string;
  isHeld?: boolean;
  children: ReactNode;
}) {
  const { opened, onClose, title, isHeld = false, children } = props;
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
      keepMounted={false}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {opened && children}
    </Modal>
  );
}
