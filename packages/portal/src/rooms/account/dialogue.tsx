import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Needs } from './own-proof.tsx';

export type DialogueProps = { opened: boolean; onClose(): void; needs: Needs };

/** What is in it is forgotten when it closes: a password, a secret and codes do not wait there. */
export function Dialogue(props: { opened: boolean; onClose(): void; title: string; children: ReactNode }) {
  const { opened, onClose, title, children } = props;
  const { t } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      keepMounted={false}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {opened && children}
    </Modal>
  );
}
