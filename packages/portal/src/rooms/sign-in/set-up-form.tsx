import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { isFieldProblem, NewPassword } from '../../shell/new-password.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { EntryProblem } from './entry-problem.tsx';

/** Creates the first account, an administrator. */
export function SetUpForm({ token, goOn }: { token: string; goOn(): void }) {
  const { t } = useTranslation('sign-in');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const make = useMutation({
    mutationFn: () => api.post('/manage/v1/session', { body: { token, email: email.trim(), password } }),
    onSuccess: () => goOn(),
  });
  const makeOnce = useMutateOnce(make);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    makeOnce();
  };
  const isOfField = isFieldProblem(make.error, 'password') || isFieldProblem(make.error, 'email');
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          ref={first}
          type="email"
          required
          withAsterisk={false}
          label={t('email')}
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={isFieldProblem(make.error, 'email') ? t('emailInvalid') : undefined}
        />
        <NewPassword value={password} onChange={setPassword} error={make.error} />
        {!isOfField && <EntryProblem error={make.error} failed={t('linkEnded')} />}
        <Button type="submit" loading={make.isPending}>
          {t('makeAccount')}
        </Button>
      </Stack>
    </form>
  );
}
