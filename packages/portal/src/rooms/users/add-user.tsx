import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { DialogActions } from '../../shell/dialog-actions.tsx';
import { FormDialog } from '../../shell/form-dialog.tsx';
import { fieldText, problemText } from '../../shell/problem-text.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';

export function AddUser({ clientId }: { clientId: string }) {
  const { t } = useTranslation('users');
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={open}>
        {t('add.action')}
      </Button>
      <FormDialog opened={opened} onClose={close} title={t('add.action')}>
        {opened && <Form clientId={clientId} onClose={close} />}
      </FormDialog>
    </>
  );
}

function Form({ clientId, onClose }: { clientId: string; onClose(): void }) {
  const { t } = useTranslation('users');
  const { t: shell } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [clientUserId, setId] = useState('');
  const [clientUserName, setName] = useState('');
  const adding = useMutation({
    mutationFn: async () => {
      const body = { clientUserId, clientUserName };
      return (await api.post('/manage/v1/applications/{clientId}/users', { path: { clientId }, body })).data;
    },
    async onSuccess({ userUid }) {
      void queries.invalidateQueries({ queryKey: ['application', clientId] });
      await navigate({ to: '/applications/$clientId/users/$userUid', params: { clientId, userUid } });
    },
  });
  const addOnce = useMutateOnce(adding);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    addOnce();
  };
  const { error } = adding;
  const isTaken = isInnkeeperError(error) && error.status === 409;
  const isAtField = isInnkeeperError(error) && error.errors.length > 0;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          required
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          label={t('clientUserId')}
          description={t('add.idHint')}
          value={clientUserId}
          onChange={(event) => setId(event.currentTarget.value)}
          error={isTaken ? problemText(error) : fieldText(error, 'clientUserId')}
        />
        <TextInput
          required
          autoComplete="off"
          maxLength={255}
          label={t('rename.name')}
          value={clientUserName}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldText(error, 'clientUserName')}
        />
        {!isTaken && !isAtField && <Problem error={error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={adding.isPending}>
            {t('add.submit')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  );
}
