import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { ConfirmByTyping, typeable } from '../../shell/confirm-by-typing.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';

export function DeleteApplication({ clientId, name }: { clientId: string; name: string }) {
  const { t } = useTranslation('credentials');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, { open, close }] = useDisclosure();
  const deleting = useMutation({
    mutationFn: () =>
      api.delete('/manage/v1/applications/{clientId}', { path: { clientId }, query: { confirm: clientId } }),
    async onSuccess() {
      notifications.show({ message: t('delete.done', { name }) });
      await navigate({ to: '/' });
      queries.removeQueries({ queryKey: ['application', clientId] });
      await queries.invalidateQueries({ queryKey: ['applications'] });
    },
  });
  const deleteOnce = useMutateOnce(deleting);
  return (
    <>
      <Group>
        <Button
          variant="default"
          c="var(--mantine-color-red-text)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={open}
        >
          {t('delete.action')}…
        </Button>
      </Group>
      <ConfirmByTyping
        opened={isOpen}
        title={t('delete.ask', { name })}
        word={typeable(name, clientId)}
        action={t('delete.action')}
        busy={deleting.isPending}
        error={deleting.error}
        onConfirm={() => deleteOnce()}
        onClose={close}
      >
        {t('delete.consequence')}
      </ConfirmByTyping>
    </>
  );
}
