import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconLink, IconMail } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { sessionQuery, signInMethodsQuery } from '../../api/queries.ts';
import { CopyButton } from '../../shell/copy.tsx';
import { isFieldProblem } from '../../shell/new-password.tsx';
import { OnceDialog, SHOWN_ONCE, useHoldDialog } from '../../shell/once-dialog.tsx';
import { Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { asksForLink, isOfProof, NO_PROOF, OwnProof } from '../account/own-proof.tsx';
import classes from './invite-form.module.css';
import { LanguagesSelect } from './languages-select.tsx';
import { invitationsQuery } from './queries.ts';
import { type Role, RoleSelect } from './role-select.tsx';

/** The link is shown once for passing on, even if it was mailed. */
export function InviteForm({ clientId, opened, onClose }: { clientId: string; opened: boolean; onClose(): void }) {
  const { t } = useTranslation('members');
  return (
    <OnceDialog opened={opened} onClose={onClose} title={t('inviteTitle')}>
      <Form clientId={clientId} onClose={onClose} />
    </OnceDialog>
  );
}

function Form({ clientId, onClose }: { clientId: string; onClose(): void }) {
  const { t } = useTranslation('members');
  const { t: shell } = useTranslation();
  const client = useQueryClient();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: methods } = useQuery(signInMethodsQuery);
  const [proof, setProof] = useState(NO_PROOF);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [languages, setLanguages] = useState<string[]>([]);
  const invite = useMutation({
    mutationKey: SHOWN_ONCE,
    mutationFn: async () =>
      (
        await api.post('/manage/v1/applications/{clientId}/invitations', {
          path: { clientId },
          body: {
            email: email.trim(),
            role,
            ...(role === 'translator' && languages.length > 0 && { languages }),
            ...proof,
          },
        })
      ).data,
    onSuccess: () => client.invalidateQueries({ queryKey: invitationsQuery(clientId).queryKey }),
  });
  const inviteOnce = useMutateOnce(invite);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    inviteOnce();
  };
  if (invite.data) return <Made {...invite.data} onClose={onClose} />;
  const isMember = isInnkeeperError(invite.error) && invite.error.status === 409;
  const fault = isMember ? t('alreadyMember') : isFieldProblem(invite.error, 'email') ? t('emailInvalid') : undefined;
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          type="email"
          required
          data-autofocus
          autoComplete="off"
          label={t('email')}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fault}
        />
        <RoleSelect label={t('as')} value={role} onChange={setRole} />
        {role === 'translator' && (
          <LanguagesSelect clientId={clientId} label={t('languages')} value={languages} onChange={setLanguages} />
        )}
        <OwnProof needs={session} value={proof} onChange={setProof} error={invite.error} />
        {fault === undefined && !isOfProof(session, invite.error) && <Problem error={invite.error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={invite.isPending} onClick={onClose}>
            {shell('cancel')}
          </Button>
          <Button type="submit" loading={invite.isPending} disabled={asksForLink(session, invite.error)}>
            {t(methods?.mail ? 'send' : 'makeLink')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Made({ email, link, mailed, onClose }: { email: string; link: string; mailed: boolean; onClose(): void }) {
  useHoldDialog();
  const { t } = useTranslation('members');
  const { t: shell } = useTranslation();
  return (
    <Stack>
      <Alert
        color="green"
        icon={mailed ? <IconMail aria-hidden /> : <IconLink aria-hidden />}
        title={t(mailed ? 'linkMailed' : 'linkMade', { email })}
        role="status"
      >
        {t(mailed ? 'linkMailedText' : 'linkMadeText')}
      </Alert>
      <Code block className={classes.link ?? ''}>
        {link}
      </Code>
      <Group justify="space-between">
        <CopyButton isMain variant="filled" value={link} label={t('copyLink')} />
        <Button variant="default" onClick={onClose}>
          {shell('close')}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {t('linkOnce')}
      </Text>
    </Stack>
  );
}
