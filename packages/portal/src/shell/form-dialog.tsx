import { Modal, type ModalProps } from '@mantine/core';
import { type FocusEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LeaveDialog } from './leave-dialog.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * A dialog with fields. Escape and its cross ask first if something was typed, and a click outside closes nothing; its
 * own buttons close it at once.
 */
export function FormDialog({ opened, onClose, closeOnEscape = true, children, ...rest }: ModalProps) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  /** With what it said when it got the focus. */
  const visited = useRef(new Map<Field, string>());
  const visit = ({ target }: FocusEvent) => {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (isField && !visited.current.has(target)) visited.current.set(target, target.value);
  };
  const close = () => {
    const isTyped = [...visited.current].some(([field, before]) => field.isConnected && field.value !== before);
    if (isTyped) setAsking(true);
    else onClose();
  };
  const leave = () => {
    setAsking(false);
    visited.current.clear();
    onClose();
  };
  return (
    <>
      <Modal
        {...rest}
        opened={opened}
        onClose={close}
        onFocus={visit}
        closeOnClickOutside={false}
        // Escape closes the question, not what it is about.
        closeOnEscape={closeOnEscape && !isAsking}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {children}
      </Modal>
      <LeaveDialog opened={opened && isAsking} onLeave={leave} onStay={() => setAsking(false)} />
    </>
  );
}
