import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { useMutateOnce } from '../../shell/use-once.ts';
import { CodeField } from './code-field.tsx';
import { EntryProblem } from './entry-problem.tsx';

type Props = { token: string; needsCode: boolean; goOn(): void };

/** A sign-in link replaces the password, not the code. */
export function SignInLinkForm({ token, needsCode, goOn }: Props) {
  const { t } = useTranslation('sign-in');
  const [code, setCode] = useState('');
  const enter = useMutation({
    mutationFn: () => api.post('/manage/v1/session', { body: { token, ...(needsCode && { code }) } }),
    onSuccess: () => goOn(),
  });
  const enterOnce = useMutateOnce(enter);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enterOnce();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {needsCode && <CodeField value={code} onChange={setCode} />}
        <EntryProblem error={enter.error} failed={needsCode ? t('codeWrong') : t('linkEnded')} />
        <Button type="submit" loading={enter.isPending}>
          {t('enter')}
        </Button>
      </Stack>
    </form>
  );
}
