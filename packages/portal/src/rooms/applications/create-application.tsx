import { Alert, Button, Checkbox, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconKey } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Copy, Copyable } from '../../shell/copy.tsx';
import { LinkButton } from '../../shell/links.tsx';
import { Problem } from '../../shell/states.tsx';

const CREATING = ['create-application'];

type Made = { clientId: string; clientSecret: string; name: string };

export function CreateApplication({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const { t } = useTranslation('applications');
  const [name, setName] = useState('');
  const queries = useQueryClient();
  const create = useMutation({
    mutationKey: CREATING,
    mutationFn: async () => (await api.post('/manage/v1/applications', { body: { name: name.trim() } })).data,
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['applications'] }),
        // It says what this account may do with the new one.
        queries.invalidateQueries({ queryKey: ['session'] }),
      ]),
  });
  const close = () => {
    onClose();
    setName('');
    create.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A double-click makes one.
    if (name.trim() !== '' && queries.isMutating({ mutationKey: CREATING }) === 0) create.mutate();
  };
  // The secret is shown once: a click beside the dialog must not take it away.
  const made = create.data;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? t('made.title', { name: made.name }) : t('create')}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      withCloseButton={made === undefined}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
      size="lg"
    >
      {made ? (
        <Secret made={made} onDone={close} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              data-autofocus
              required
              maxLength={255}
              label={t('name')}
              description={t('nameHint')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Problem error={create.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('cancel', { ns: 'shell' })}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                {t('createIt')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function Secret({ made, onDone }: { made: Made; onDone(): void }) {
  const { t } = useTranslation('applications');
  const [stored, setStored] = useState(false);
  const { clientId, clientSecret } = made;
  return (
    <Stack>
      <Alert
        color="yellow"
        icon={<IconKey aria-hidden />}
        title={t('made.once')}
        styles={{ label: { color: 'var(--mantine-color-text)' } }}
      >
        {t('made.keep')}
      </Alert>
      <div>
        <Text size="sm" fw={500}>
          clientId
        </Text>
        <Copyable value={clientId} label={t('copyClientId')} />
      </div>
      <Group gap={4} align="flex-end" wrap="nowrap">
        <PasswordInput
          label="clientSecret"
          readOnly
          value={clientSecret}
          flex={1}
          visibilityToggleButtonProps={{ 'aria-label': t('made.show') }}
          styles={{ innerInput: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Copy value={clientSecret} label={t('made.copy')} />
      </Group>
      <Group>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => {
            download(made);
            setStored(true);
          }}
        >
          {t('made.download')}
        </Button>
      </Group>
      <Checkbox
        checked={stored}
        onChange={(event) => setStored(event.currentTarget.checked)}
        label={t('made.stored')}
      />
      <Group justify="flex-end">
        <Button variant="default" disabled={!stored} onClick={onDone}>
          {t('made.back')}
        </Button>
        <LinkButton
          to="/applications/$clientId"
          params={{ clientId }}
          disabled={!stored}
          onClick={(event) => {
            if (!stored) event.preventDefault();
          }}
        >
          {t('made.open')}
        </LinkButton>
      </Group>
    </Stack>
  );
}

/** As settings that a program can read. */
function download({ clientId, clientSecret }: Made): void {
  const text = `INNKEEPER_CLIENT_ID=${clientId}\nINNKEEPER_CLIENT_SECRET=${clientSecret}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `innkeeper-${clientId.split('_')[0]}.env`;
  link.click();
  URL.revokeObjectURL(url);
}
