import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { OnceDialog } from '../../shell/once-dialog.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import type { Proof, ProvenDialogProps } from './own-proof.tsx';
import { ProofStep } from './proof-step.tsx';

export function TotpEnd({ opened, onClose, needs }: ProvenDialogProps) {
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
    <OnceDialog opened={opened} onClose={close} title={t('totp')}>
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
    </OnceDialog>
  );
}
