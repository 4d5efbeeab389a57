import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { useMutateOnce } from '../../shell/use-once.ts';

export function Name({ clientId, name, mayChange }: { clientId: string; name: string; mayChange: boolean }) {
  const { t } = useTranslation('credentials');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? name;
  const renaming = useMutation({
    mutationFn: () => api.patch('/manage/v1/applications/{clientId}', { path: { clientId }, body: { name: shown } }),
    async onSuccess() {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['application', clientId] }),
        queries.invalidateQueries({ queryKey: ['applications'] }),
      ]);
      setTyped(undefined);
      notifications.show({ message: t('name.saved') });
    },
  });
  const renameOnce = useMutateOnce(renaming);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renameOnce();
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t('name.label')}
          value={shown}
          maxLength={255}
          disabled={!mayChange}
          error={renaming.error?.message}
          onChange={(event) => setTyped(event.currentTarget.value)}
          flex={1}
          miw={200}
        />
        {mayChange && (
          <Button
            type="submit"
            variant="default"
            disabled={shown === name || shown.trim() === ''}
            loading={renaming.isPending}
          >
            {t('name.action')}
          </Button>
        )}
      </Group>
    </form>
  );
}
