import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { EntryProblem } from './entry-problem.tsx';

/** The message is the same whether or not the account exists. */
export function MailLinkForm({ email: known }: { email: string }) {
  const { t } = useTranslation('sign-in');
  const [typed, setTyped] = useState<string>();
  const email = (typed ?? known).trim();
  const mail = useMutation({
    mutationFn: (purpose: 'password' | 'signIn') => api.post('/manage/v1/session/mail', { body: { email, purpose } }),
  });
  const mailOnce = useMutateOnce(mail);
  if (mail.isSuccess) {
    return (
      <Alert mt="xs" color="green" icon={<IconMail aria-hidden />} role="status">
        <Text size="sm">{t('mailSent', { email })}</Text>
        <Text size="sm" c="dimmed" mt={6}>
          {t('mailNone')}
        </Text>
      </Alert>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    mailOnce(submitter?.getAttribute('value') === 'signIn' ? 'signIn' : 'password');
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" mt="xs">
        <Text size="sm" c="dimmed">
          {t('mailAbout')}
        </Text>
        <TextInput
          type="email"
          required
          withAsterisk={false}
          aria-label={t('email')}
          autoComplete="username"
          value={typed ?? known}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <EntryProblem error={mail.error} failed={t('emailInvalid')} />
        <Group gap="xs">
          <Button type="submit" size="sm" variant="light" value="password" loading={mail.isPending}>
            {t('mailReset')}
          </Button>
          <Button type="submit" size="sm" variant="subtle" value="signIn" disabled={mail.isPending}>
            {t('mailSignIn')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
