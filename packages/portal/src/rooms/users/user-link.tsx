import { Alert, Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Copyable } from '../../shell/copy.tsx';
import { Moment } from '../../shell/moment.tsx';
import { notifyProblem } from '../../shell/notify.tsx';
import { OnceDialog, ShownOnce } from '../../shell/once-dialog.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';

const LINK = '/manage/v1/applications/{clientId}/users/{userUid}/preference-link';

/** A link to this user's preference page: created on request, shown until it is closed. */
export function useUserLink(clientId: string, userUid: string) {
  const { t } = useTranslation('users');
  const path = { clientId, userUid };
  const creating = useMutation({
    mutationFn: async () => (await api.post(LINK, { path, body: {} })).data,
    onError: notifyProblem,
  });
  const withdrawing = useMutation({
    mutationFn: () => api.delete(LINK, { path }),
    onSuccess() {
      notifications.show({ message: t('link.withdrawn') });
      creating.reset();
    },
    onError: notifyProblem,
  });
  const withdrawOnce = useMutateOnce(withdrawing);
  const dialog = (
    <OnceDialog opened={creating.isSuccess} onClose={() => creating.reset()} title={t('link.title')}>
      {creating.data && (
        <ShownOnce onClose={() => creating.reset()}>
          <Alert color="yellow" variant="light">
            {t('link.about')}
          </Alert>
          <Copyable value={creating.data.url} />
          <Text size="sm" c="dimmed">
            {t('link.expires')} <Moment at={creating.data.expiresAt} />
          </Text>
          <Text size="sm">{t('link.withdrawText')}</Text>
          <Button
            variant="default"
            c="var(--mantine-color-red-text)"
            loading={withdrawing.isPending}
            onClick={() => withdrawOnce()}
          >
            {t('link.withdraw')}
          </Button>
        </ShownOnce>
      )}
    </OnceDialog>
  );
  return { create: useMutateOnce(creating), isPending: creating.isPending, dialog };
}
