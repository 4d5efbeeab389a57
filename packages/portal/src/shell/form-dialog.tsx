import { Modal, type ModalProps } from '@mantine/core';
import { type FocusEvent, type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LeaveDialog } from './leave-dialog.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * A dialog with fields. Escape and its cross ask first if something was typed, and a click outside closes nothing; its
 * own buttons close it at once. If it cannot be saved, its first invalid field gets the focus.
 */
export function FormDialog(props: ModalProps & { mayClose?: () => boolean }) {
  const { opened, onClose, mayClose = () => true, closeOnEscape = true, children, ...rest } = props;
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  /** With what it said when it got the focus. */
  const visited = useRef(new Map<Field, string>());
  const visit = ({ target }: FocusEvent) => {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (isField && !visited.current.has(target)) visited.current.set(target, target.value);
  };
  const close = () => {
    if (!mayClose()) return;
    const isTyped = [...visited.current].some(([field, before]) => field.isConnected && field.value !== before);
    // Later: the question would get the same Escape, and close.
    if (isTyped) setTimeout(() => setAsking(true));
    else onClose();
  };
  const problems = useRef<MutationObserver>(undefined);
  const submit = ({ currentTarget: whole }: FormEvent) => {
    problems.current?.disconnect();
    problems.current = new MutationObserver((_, observer) => {
      const field = whole.querySelector<HTMLElement>('[aria-invalid=true]');
      if (!field) return;
      field.focus();
      observer.disconnect();
    });
    problems.current.observe(whole, { subtree: true, attributeFilter: ['aria-invalid'] });
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
        onSubmit={submit}
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
