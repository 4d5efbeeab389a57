import { Button, Card, Center, Code, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, PORTAL_PATH } from '../../api/client.ts';
import { Logo } from '../../shell/logo.tsx';
import { Problem } from '../../shell/states.tsx';

/**
 * The link's token is in the fragment, and is sent only when the button is pressed, so that whatever looks at the
 * link beforehand (a preview, a scanner of e-mails) does not spend it.
 */
export function SignInPage() {
  const { t } = useTranslation('sign-in');
  const { hash: token } = useLocation();
  const { next = '' } = useSearch({ from: '/sign-in' });
  const isSetUp = token.startsWith('iku_');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const enter = useMutation({
    mutationFn: () =>
      api.post('/manage/v1/session', { body: { token, ...(isSetUp && { email: email.trim(), password }) } }),
    // In the place of this page: its address, with the token, does not stay in the history.
    onSuccess: () => location.replace(PORTAL_PATH + next),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate();
  };
  return (
    <Center mih="100dvh" p="md" component="main">
      <Card withBorder w="100%" maw={420} padding="xl">
        <Stack>
          <Logo />
          <Title order={1} size="h3">
            {token === '' ? t('noLink') : isSetUp ? t('setUpTitle') : t('title')}
          </Title>
          {token === '' ? (
            <Text component="div">
              {t('noLinkText')} <Code block>innkeeper admin create --email you@example.com</Code>
            </Text>
          ) : (
            <form onSubmit={submit}>
              <Stack>
                <Text c="dimmed">{isSetUp ? t('aboutSetUp') : t('about')}</Text>
                {isSetUp && (
                  <TextInput
                    type="email"
                    required
                    label={t('email')}
                    autoComplete="email"
                    value={email}
                    onChange={(event) => setEmail(event.currentTarget.value)}
                  />
                )}
                {isSetUp && (
                  <PasswordInput
                    required
                    label={t('password')}
                    autoComplete="new-password"
                    value={password}
                    onChange={(event) => setPassword(event.currentTarget.value)}
                  />
                )}
                <Problem error={enter.error} />
                <Button type="submit" loading={enter.isPending}>
                  {isSetUp ? t('makeAccount') : t('enter')}
                </Button>
              </Stack>
            </form>
          )}
        </Stack>
      </Card>
    </Center>
  );
}
