import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { CodeField } from './code-field.tsx';
import { asksForCode, EntryProblem } from './entry-problem.tsx';

/** The code is requested once everything else was right. `email` is fixed if already known. */
export function PasswordForm(props: { email?: string; onEntered(): void; onEmail?(email: string): void }) {
  const { email: known, onEntered, onEmail } = props;
  const { t } = useTranslation('sign-in');
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const enter = useMutation({
    mutationFn: () =>
      api.post('/manage/v1/session', { body: { email: email.trim(), password, ...(needsCode && { code }) } }),
    onSuccess: onEntered,
    onError(error) {
      if (asksForCode(error)) setNeedsCode(true);
      // Another account may require none.
      else if (isInnkeeperError(error) && error.status === 401) setCode('');
    },
  });
  const enterOnce = useMutateOnce(enter);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enterOnce();
  };
  const changed = () => {
    setNeedsCode(false);
    enter.reset();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          type="email"
          required
          withAsterisk={false}
          readOnly={known !== undefined}
          label={t('email')}
          autoComplete="username"
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            onEmail?.(event.currentTarget.value);
            changed();
          }}
        />
        <PasswordInput
          required
          withAsterisk={false}
          label={t('password')}
          autoComplete="current-password"
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
            changed();
          }}
        />
        {needsCode && <CodeField value={code} onChange={setCode} />}
        <EntryProblem error={enter.error} failed={needsCode ? t('codeWrong') : t('wrong')} />
        <Button type="submit" loading={enter.isPending}>
          {t('enter')}
        </Button>
      </Stack>
    </form>
  );
}
