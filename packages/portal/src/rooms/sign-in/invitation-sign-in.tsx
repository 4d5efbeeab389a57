import { isInnkeeperError } from '@innkeeper/client/manage';
import { Button, Divider, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { sessionQuery, signInMethodsQuery } from '../../api/queries.ts';
import { isFieldProblem, NewPassword } from '../../shell/new-password.tsx';
import { LoadingState, Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { EntryProblem } from './entry-problem.tsx';
import { Forgotten } from './forgotten.tsx';
import { keepInvitation } from './kept-invitation.ts';
import { PasswordForm } from './password-form.tsx';
import { ProviderButton } from './provider-button.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

type Role = 'viewer' | 'translator' | 'support' | 'editor' | 'owner';
type Invitation = { email?: string; application?: string; role?: Role; languages?: string[]; invitedBy?: string };
type Props = { token: string; goOn(path?: string): void };

export function InvitationSignIn({ token, invitation, goOn }: Props & { invitation: Invitation }) {
  const { t, i18n } = useTranslation('sign-in');
  const { email = '', application = '', role = 'viewer', languages, invitedBy = '' } = invitation;
  const session = useQuery({ ...sessionQuery, retry: false });
  const { data: methods } = useQuery(signInMethodsQuery);
  const [has, setHas] = useState<'none' | 'account'>('none');
  const hasPasswords = methods?.password ?? true;
  const isOwn = session.data?.email.toLowerCase() === email.toLowerCase();
  const about = (
    <Stack gap="xs">
      <Text inherit>{t('invitedBy', { who: invitedBy, application })}</Text>
      <Text inherit>{t(`roleIs.${role}`)}</Text>
      {languages && <Text inherit>{t('onlyLanguages', { languages: nameLanguages(languages, i18n.language) })}</Text>}
    </Stack>
  );
  return (
    <SignInFrame title={t('invitationTitle')} about={about}>
      {session.isPending && <LoadingState />}
      {!session.isPending && !isOwn && methods?.oidc && (
        <ProviderButton label={t('acceptWith', methods.oidc)} next="/sign-in" onLeave={() => keepInvitation(token)} />
      )}
      {!session.isPending && !isOwn && methods?.oidc && hasPasswords && <Divider label={t('or')} />}
      {/* Only the invited person knows: the sender must not learn who has an account here. */}
      {!session.isPending && !isOwn && hasPasswords && (
        <SegmentedControl
          fullWidth
          aria-label={t('whichWay')}
          data={[
            { value: 'none', label: t('newHere') },
            { value: 'account', label: t('haveAccount') },
          ]}
          value={has}
          onChange={(value) => setHas(value)}
        />
      )}
      {!session.isPending &&
        (isOwn || hasPasswords) &&
        (isOwn || has === 'account' ? (
          <Join token={token} email={email} isOwn={isOwn} goOn={(clientId) => goOn(roomOf(clientId, role))} />
        ) : (
          <Accept
            token={token}
            email={email}
            goOn={(clientId) => goOn(clientId === undefined ? '' : roomOf(clientId, role))}
            onAccountExists={() => setHas('account')}
          />
        ))}
    </SignInFrame>
  );
}

/** Where the work is. */
function roomOf(clientId: string, role: Role): string {
  return `/applications/${clientId}${role === 'translator' ? '/translations' : ''}`;
}

function nameLanguages(tags: readonly string[], reader: string): string {
  const names = new Intl.DisplayNames([reader], { type: 'language' });
  return tags.map((tag) => names.of(tag) ?? tag).join(', ');
}

type AcceptProps = { token: string; email: string; goOn(clientId: string | undefined): void; onAccountExists(): void };

/** Creates the account. */
function Accept({ token, email, goOn, onAccountExists }: AcceptProps) {
  const { t } = useTranslation('sign-in');
  const [password, setPassword] = useState('');
  const accept = useMutation({
    mutationFn: async () => (await api.post('/manage/v1/session', { body: { token, password } })).data,
    onSuccess: ({ applications }) => goOn(applications[0]?.clientId),
    onError(error) {
      if (isInnkeeperError(error) && error.status === 409) onAccountExists();
    },
  });
  const acceptOnce = useMutateOnce(accept);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    acceptOnce();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput type="email" readOnly label={t('email')} autoComplete="username" value={email} />
        <NewPassword value={password} onChange={setPassword} error={accept.error} autoFocus />
        {!isFieldProblem(accept.error, 'password') && <EntryProblem error={accept.error} failed={t('linkEnded')} />}
        <Button type="submit" loading={accept.isPending}>
          {t('makeAccount')}
        </Button>
      </Stack>
    </form>
  );
}

type JoinProps = { token: string; email: string; isOwn: boolean; goOn(clientId: string): void };

/** With an existing account: it has to sign in first. */
function Join({ token, email, isOwn, goOn }: JoinProps) {
  const { t } = useTranslation('sign-in');
  const join = useMutation({
    mutationFn: async () => (await api.post('/manage/v1/account/invitations', { body: { token } })).data,
    onSuccess: ({ clientId }) => goOn(clientId),
  });
  const joinOnce = useMutateOnce(join);
  const isEnded = isInnkeeperError(join.error) && join.error.status === 401;
  return (
    <Stack>
      {isOwn ? (
        <>
          <Text>{t('joinAs', { email })}</Text>
          <Button loading={join.isPending} onClick={() => joinOnce()}>
            {t('join')}
          </Button>
        </>
      ) : (
        <>
          <Text>{t('signInToJoin', { email })}</Text>
          <PasswordForm email={email} onEntered={() => joinOnce()} />
          <Forgotten email={email} />
        </>
      )}
      {isEnded ? <EntryProblem error={join.error} failed={t('linkEnded')} /> : <Problem error={join.error} />}
    </Stack>
  );
}
