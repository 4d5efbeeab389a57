import { Button, type ModalProps, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DialogActions } from './dialog-actions.tsx';
import { FormDialog } from './form-dialog.tsx';

/** The key of mutations whose result is shown only once. */
export const SHOWN_ONCE = ['shown-once'];

const Hold = createContext<(isHeld: boolean) => void>(() => {});

/** For content that is shown only once: as long as it is there, only its own buttons close the dialog around it. */
export function useHoldDialog(): void {
  const hold = useContext(Hold);
  useEffect(() => {
    hold(true);
    return () => hold(false);
  }, [hold]);
}

type Props = {
  opened: boolean;
  onClose(): void;
  title: string;
  size?: ModalProps['size'];
  children: ReactNode;
};

/**
 * A dialog for secrets. Neither Escape nor a click outside closes it while a secret is created or shown, which would be
 * lost. Its content is cleared when it closes: no password, secret or code stays in it.
 */
export function OnceDialog({ opened, onClose, title, size = 'md', children }: Props) {
  const queries = useQueryClient();
  const [isHeld, setHeld] = useState(false);
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      mayClose={() => queries.isMutating({ mutationKey: SHOWN_ONCE }) === 0}
      title={title}
      size={size}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
      keepMounted={false}
    >
      <Hold value={setHeld}>{opened && children}</Hold>
    </FormDialog>
  );
}

/** Something shown only once, with a button to close it. */
export function ShownOnce({ onClose, children }: { onClose(): void; children: ReactNode }) {
  useHoldDialog();
  const { t } = useTranslation();
  return (
    <Stack>
      {children}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {t('close')}
        </Button>
      </DialogActions>
    </Stack>
  );
}
