import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { rangeQuery, writeMoment } from '../../shell/range.ts';
import { Problem } from '../../shell/states.tsx';
import { toLocal } from '../../shell/time-range.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { webhooksQuery } from './queries.ts';

type Props = { clientId: string; webhookId: string; onClose(): void };

export function ReplayDialog({ opened, ...props }: Props & { opened: boolean }) {
  const { t } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={t('replay.title')}
      closeButtonProps={{ 'aria-label': shell('close') }}
    >
      {opened && <Form {...props} />}
    </Modal>
  );
}

function Form({ clientId, webhookId, onClose }: Props) {
  const { t } = useTranslation('webhooks');
  const { t: shell } = useTranslation();
  const client = useQueryClient();
  const [since, setSince] = useState(() => toLocal(rangeQuery({ span: 'hour' }).from));
  const replay = useMutation({
    mutationFn: (body: { since: string }) =>
      api.post('/manage/v1/applications/{clientId}/webhooks/{webhookId}/replay', {
        path: { clientId, webhookId },
        body,
      }),
    async onSuccess() {
      notifications.show({ message: t('replay.done') });
      onClose();
      await client.invalidateQueries({ queryKey: webhooksQuery(clientId).queryKey });
    },
  });
  const replayOnce = useMutateOnce(replay);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    replayOnce({ since: writeMoment(new Date(since)) });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t('replay.text')}</Text>
        <TextInput
          required
          data-autofocus
          type="datetime-local"
          label={t('replay.since')}
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        <Problem error={replay.error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={replay.isPending} disabled={since === ''}>
            {t('replay.submit')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}
