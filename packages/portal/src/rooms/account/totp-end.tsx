import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { AccountDialog, type AccountDialogProps } from './account-dialog.tsx';
import type { Proof } from './own-proof.tsx';
import { ProofStep } from './proof-step.tsx';

export function TotpEnd({ opened, onClose, needs }: AccountDialogProps) {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const close = () => {
    end.reset();
    onClose();
  };
  const end = useMutation({
    mutationFn: (body: Proof) => api.post('/manage/v1/account/totp/end', { body }),
    async onSuccess() {
      notifications.show({ message: t('turnedOff'), color: 'green' });
      close();
      await client.invalidateQueries({ queryKey: ['session'] });
    },
  });
  const endOnce = useMutateOnce(end);
  return (
    <AccountDialog opened={opened} onClose={close} title={t('totp')}>
      <ProofStep
        about={t('turnOffAbout')}
        action={t('turnOff')}
        color="red"
        needs={needs}
        busy={end.isPending}
        error={end.error}
        onSubmit={endOnce}
        onClose={close}
      />
    </AccountDialog>
  );
}
