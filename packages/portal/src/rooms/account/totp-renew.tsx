import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { SHOWN_ONCE, useCloseUnlessSending } from '../../shell/shown-once.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { AccountDialog, type AccountDialogProps } from './account-dialog.tsx';
import type { Proof } from './own-proof.tsx';
import { ProofStep } from './proof-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

export function TotpRenew({ opened, onClose, needs }: AccountDialogProps) {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const renew = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async (body: Proof) => (await api.post('/manage/v1/account/totp/recovery-codes', { body })).data,
    onSuccess: () => client.invalidateQueries({ queryKey: ['session'] }),
  });
  const close = useCloseUnlessSending(() => {
    renew.reset();
    onClose();
  });
  const renewOnce = useMutateOnce(renew);
  return (
    <AccountDialog opened={opened} onClose={close} title={t('renewCodes')} isHeld={renew.isSuccess}>
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
    </AccountDialog>
  );
}
