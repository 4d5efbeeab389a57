import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { OnceDialog, SHOWN_ONCE } from '../../shell/once-dialog.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import type { Proof, ProvenDialogProps } from './own-proof.tsx';
import { ProofStep } from './proof-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export function TotpRenew({ opened, onClose, needs }: ProvenDialogProps) {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const renew = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async (body: Proof) => (await api.post('/manage/v1/account/totp/recovery-codes', { body })).data,
    onSuccess: () => client.invalidateQueries({ queryKey: ['session'] }),
  });
  const close = () => {
    renew.reset();
    onClose();
  };
  const renewOnce = useMutateOnce(renew);
  return (
    <OnceDialog opened={opened} onClose={close} title={t('renewCodes')}>
      {renew.data ? (
        <RecoveryCodes codes={renew.data.recoveryCodes} onKept={close} />
      ) : (
        <ProofStep
          about={t('renewAbout')}
          action={t('renewCodes')}
          needs={needs}
          busy={renew.isPending}
          error={renew.error}
          onSubmit={renewOnce}
          onClose={close}
        />
      )}
    </OnceDialog>
  );
}
