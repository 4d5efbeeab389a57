import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Needs } from './own-proof.tsx';

export type DialogueProps = { opened: boolean; onClose(): void; needs: Needs };

/**
 * What is in it is forgotten when it closes: a password, a secret and codes do not wait there. While it is held, only
 * what is in it closes it: what is shown once does not go by a slip.
 */
export function Dialogue(props: {
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
