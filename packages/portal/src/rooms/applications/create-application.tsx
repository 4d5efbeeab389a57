import { Alert, Button, Checkbox, Group, Input, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconKey } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { rememberSecret } from '../../api/made-secrets.ts';
import { Copy, Copyable, useCopy } from '../../shell/copy.tsx';
import { download } from '../../shell/download.ts';
import { OnceDialog, SHOWN_ONCE, useHoldDialog } from '../../shell/once-dialog.tsx';
import { fieldText } from '../../shell/problem-text.ts';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { editsOf } from '../catalog/edits.ts';
import { LanguageChips, ownName } from '../catalog/language-chips.tsx';

type Made = { clientId: string; clientSecret: string; name: string };

export function CreateApplication({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const { t, i18n } = useTranslation('applications');
  const [name, setName] = useState('');
  const [tags, setTags] = useState([i18n.language]);
  const queries = useQueryClient();
  const create = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async () => {
      const { data } = await api.post('/manage/v1/applications', { body: { name: name.trim() } });
      rememberSecret(data.clientId, data.clientSecret);
      const languages = tags.map((tag, index) => ({ tag, name: ownName(tag), ...(index === 0 && { default: true }) }));
      // The secret must be shown even if this fails: without languages, the catalog asks for them.
      if (languages.length > 0)
        await editsOf(data.clientId)
          .setLanguages(languages)('*')
          .catch(() => undefined);
      return data;
    },
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['applications'] }),
        // The session says what this account may do in the new application.
        queries.invalidateQueries({ queryKey: ['session'] }),
      ]),
  });
  const createOnce = useMutateOnce(create);
  const close = () => {
    onClose();
    setName('');
    setTags([i18n.language]);
    create.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') createOnce();
  };
  const nameProblem = fieldText(create.error, 'name');
  const made = create.data;
  return (
    <OnceDialog
      opened={opened}
      onClose={close}
      title={made ? t('made.title', { name: made.name }) : t('create')}
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
              error={nameProblem}
            />
            <Stack gap={6}>
              <div>
                <Input.Label labelElement="div">{t('languages')}</Input.Label>
                <Input.Description>{t('languagesHint')}</Input.Description>
              </div>
              <LanguageChips label={t('languages')} chosen={tags} byDefault={tags[0]} onChange={setTags} />
            </Stack>
            {nameProblem === undefined && <Problem error={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" disabled={create.isPending} onClick={close}>
                {t('cancel', { ns: 'shell' })}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                {t('createIt')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </OnceDialog>
  );
}

function Secret({ made, onDone }: { made: Made; onDone(): void }) {
  useHoldDialog();
  const { t } = useTranslation('applications');
  const [stored, setStored] = useState(false);
  const [taken, setTaken] = useState(false);
  const mayLeave = stored || taken;
  const { clientId, clientSecret } = made;
  const navigate = useNavigate();
  const goOn = () =>
    void navigate({ to: '/applications/$clientId/catalog', params: { clientId }, search: { open: 'add-group' } });
  const { copy } = useCopy(clientSecret, goOn);
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
          visibilityToggleButtonProps={{ 'aria-label': t('made.show'), tabIndex: 0 }}
          styles={{ innerInput: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Copy value={clientSecret} label={t('made.copy')} onCopy={() => setTaken(true)} />
      </Group>
      <Group>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => {
            download(
              `innkeeper-${clientId.split('_')[0]}.env`,
              'text/plain',
              `INNKEEPER_CLIENT_ID=${clientId}\nINNKEEPER_CLIENT_SECRET=${clientSecret}\n`,
            );
            setTaken(true);
          }}
        >
          {t('made.download')}
        </Button>
      </Group>
      {!taken && (
        <Checkbox
          checked={stored}
          onChange={(event) => setStored(event.currentTarget.checked)}
          label={t('made.stored')}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" disabled={!mayLeave} onClick={onDone}>
          {t('made.back')}
        </Button>
        <Button onClick={mayLeave ? goOn : () => void copy()}>{t(mayLeave ? 'made.goOn' : 'made.copyAndGoOn')}</Button>
      </Group>
    </Stack>
  );
}
