import { Button, MultiSelect, NumberInput, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { changedMembers } from '../../shell/changed-members.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { OnceDialog, SHOWN_ONCE } from '../../shell/once-dialog.tsx';
import { fieldText } from '../../shell/problem-text.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { EVENT_TYPES } from '../events/event-types.ts';
import { type Webhook, webhooksQuery } from './queries.ts';
import { SecretShown } from './secret-shown.tsx';

type Props = {
  clientId: string;
  /** The webhook to change; without one, a new one is created. */
  webhook?: Webhook;
  onClose(): void;
};

export function WebhookDialog({ opened, ...props }: Props & { opened: boolean }) {
  const { t } = useTranslation('webhooks');
  return (
    <OnceDialog opened={opened} onClose={props.onClose} title={props.webhook ? t('edit.title') : t('create.title')}>
      <Form {...props} />
    </OnceDialog>
  );
}

const MAX_PER_SECOND = 1000;
const FIELDS = ['url', 'maxPerSecond'] as const;

function Form({ clientId, webhook, onClose }: Props) {
  const { t } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  const client = useQueryClient();
  // As it was when the dialog opened.
  const [before] = useState({
    url: webhook?.url ?? '',
    types: webhook?.types ?? [],
    description: webhook?.description ?? '',
    maxPerSecond: webhook?.maxPerSecond ?? null,
  });
  const [url, setUrl] = useState(before.url);
  const [types, setTypes] = useState(before.types);
  const [description, setDescription] = useState(before.description);
  const [rate, setRate] = useState<number | string>(before.maxPerSecond ?? '');
  const save = useMutation({
    mutationKey: SHOWN_ONCE,
    async mutationFn() {
      const maxPerSecond = rate === '' ? null : Number(rate);
      const body = { url: url.trim(), types, description: description.trim(), maxPerSecond };
      if (!webhook)
        return (await api.post('/manage/v1/applications/{clientId}/webhooks', { path: { clientId }, body })).data;
      const path = { clientId, webhookId: webhook.webhookId };
      await api.patch('/manage/v1/applications/{clientId}/webhooks/{webhookId}', {
        path,
        body: changedMembers(before, body),
      });
      return undefined;
    },
    async onSuccess() {
      await client.invalidateQueries({ queryKey: webhooksQuery(clientId).queryKey });
      if (!webhook) return;
      notifications.show({ message: t('edit.done') });
      onClose();
    },
  });
  const saveOnce = useMutateOnce(save);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saveOnce();
  };
  if (save.data) return <SecretShown secret={save.data.secret} title={t('create.done')} onClose={onClose} />;
  const faultOf = (name: (typeof FIELDS)[number]) => fieldText(save.error, name);
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
          error={faultOf('url')}
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
        <NumberInput
          label={t('maxPerSecond')}
          description={t('maxPerSecondAbout')}
          min={1}
          max={MAX_PER_SECOND}
          allowDecimal={false}
          allowNegative={false}
          value={rate}
          onChange={setRate}
          error={faultOf('maxPerSecond')}
        />
        <TextInput
          label={t('description')}
          maxLength={255}
          autoComplete="off"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {FIELDS.every((name) => faultOf(name) === undefined) && <Problem error={save.error} />}
        <DialogActions>
          <Button variant="default" disabled={save.isPending} onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {webhook ? shell('save') : t('create.submit')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}
