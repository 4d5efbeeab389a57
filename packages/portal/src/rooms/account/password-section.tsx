import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { isFieldProblem, NewPassword } from '../../shell/new-password.tsx';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { asksForLink, isOfProof, type Needs, NO_PROOF, OwnProof } from './own-proof.tsx';
import { Section } from './section.tsx';

type Session = Needs & { hasPassword: boolean };

export function PasswordSection({ session }: { session: Session }) {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const [proof, setProof] = useState(NO_PROOF);
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn() {
      const { password: current, ...code } = proof;
      const body = { password, ...(current !== undefined && { current }), ...code };
      return api.put('/manage/v1/account/password', { body });
    },
    async onSuccess() {
      setProof(NO_PROOF);
      setPassword('');
      notifications.show({ message: t('passwordChanged'), color: 'green' });
      await client.invalidateQueries({ queryKey: ['session'] });
      await client.invalidateQueries({ queryKey: ['account', 'sessions'] });
    },
  });
  const changeOnce = useMutateOnce(change);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changeOnce();
  };
  const isShown = isOfProof(session, change.error) || isFieldProblem(change.error, 'password');
  return (
    <Section title={t('password')} about={t('passwordAbout')}>
      <form onSubmit={submit}>
        <Stack maw={420}>
          {/* Tells password managers whose password this is. */}
          <input type="email" autoComplete="username" value={session.email} readOnly hidden />
          <OwnProof needs={session} value={proof} onChange={setProof} error={change.error} />
          <NewPassword value={password} onChange={setPassword} error={change.error} />
          {!isShown && <Problem error={change.error} />}
          <Group>
            <Button type="submit" loading={change.isPending} disabled={asksForLink(session, change.error)}>
              {t(session.hasPassword ? 'changePassword' : 'setPassword')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
