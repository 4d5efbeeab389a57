import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Dialogue, type DialogueProps } from './dialogue.tsx';
import { PasswordStep } from './password-step.tsx';

export function TotpEnd({ opened, onClose, needsPassword }: DialogueProps) {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const close = () => {
    end.reset();
    onClose();
  };
  const end = useMutation({
    mutationFn: (body: { password?: string }) => api.post('/manage/v1/account/totp/end', { body }),
    async onSuccess() {
      notifications.show({ message: t('turnedOff'), color: 'green' });
      close();
      await client.invalidateQueries({ queryKey: ['session'] });
    },
  });
  return (
    <Dialogue opened={opened} onClose={close} title={t('totp')}>
      <PasswordStep
        about={t('turnOffAbout')}
        action={t('turnOff')}
        color="red"
        needsPassword={needsPassword}
        busy={end.isPending}
        error={end.error}
        onSubmit={end.mutate}
        onClose={close}
      />
    </Dialogue>
  );
}
