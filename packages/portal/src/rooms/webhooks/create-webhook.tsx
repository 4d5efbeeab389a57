import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { EVENT_TYPES, type EventType, webhooksQuery } from './queries.ts';
import { SecretShown } from './secret-shown.tsx';

export function CreateWebhook({ clientId, opened, onClose }: { clientId: string; opened: boolean; onClose(): void }) {
  const { t } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('create.title')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shell('close') }}
    >
      {opened && <Form clientId={clientId} onClose={onClose} />}
    </Modal>
  );
}

function Form({ clientId, onClose }: { clientId: string; onClose(): void }) {
  const { t } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState<EventType[]>([]);
  const [description, setDescription] = useState('');
  const create = useMutation({
    mutationFn: async () => {
      const body = { url: url.trim(), types, description: description.trim() };
      return (await api.post('/manage/v1/applications/{clientId}/webhooks', { path: { clientId }, body })).data;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksQuery(clientId).queryKey }),
  });
  const createOnce = useMutateOnce(create);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    createOnce();
  };
  if (create.data) return <SecretShown secret={create.data.secret} title={t('create.done')} onClose={onClose} />;
  const fault = isInnkeeperError(create.error)
    ? create.error.errors.find(({ field }) => field === 'url')?.message
    : undefined;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          required
          data-autofocus
          type="url"
          autoComplete="off"
          spellCheck={false}
          label={t('url')}
          placeholder="https://app.example.com/webhooks"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={fault}
        />
        <MultiSelect
          label={t('types')}
          description={t('typesAbout')}
          placeholder={types.length === 0 ? t('allTypes') : ''}
          data={[...EVENT_TYPES]}
          value={types}
          onChange={(chosen) => setTypes(EVENT_TYPES.filter((type) => chosen.includes(type)))}
          clearable
        />
        <TextInput
          label={t('description')}
          maxLength={255}
          autoComplete="off"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {fault === undefined && <Problem error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
