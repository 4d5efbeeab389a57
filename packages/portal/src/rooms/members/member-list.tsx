import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconUsersGroup } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { sessionQuery } from '../../api/queries.ts';
import { Moment } from '../../shell/moment.tsx';
import { notifyUndoable } from '../../shell/notify.tsx';
import { EmptyState, ErrorState, LoadingState, Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import type { Proof } from '../account/own-proof.tsx';
import { LanguagesSelect } from './languages-select.tsx';
import { MakeOwner } from './make-owner.tsx';
import { membersQuery } from './queries.ts';
import { type Role, RoleSelect } from './role-select.tsx';

type Member = { accountId: string; email: string; role: Role; languages: string[] | null; since: string };

type Change = { accountId: string; role: Role; languages?: string[] | null; before?: Member; proof?: Proof };

export function MemberList({ clientId }: { clientId: string }) {
  const { t } = useTranslation('members');
  const { t: shell } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const members = useQuery(membersQuery(clientId));
  const reload = () => client.invalidateQueries({ queryKey: membersQuery(clientId).queryKey, exact: true });

  const [toPromote, setToPromote] = useState<Pick<Member, 'accountId' | 'email'>>();
  const change = useMutation({
    mutationFn: ({ accountId, role, languages, proof }: Change) =>
      api.patch('/manage/v1/applications/{clientId}/members/{accountId}', {
        path: { clientId, accountId },
        body: { role, ...(languages && languages.length > 0 && { languages }), ...proof },
      }),
    async onSuccess(_, { accountId, role, before }) {
      setToPromote(undefined);
      await reload();
      if (accountId === session?.accountId) await client.invalidateQueries({ queryKey: ['session'] });
      if (!before) return;
      notifyUndoable({
        color: 'green',
        message: t('changed', { email: before.email, role: t(`role.${role}`) }),
        undo: () =>
          before.role === 'owner'
            ? askForProof(before)
            : changeOnce({ accountId, role: before.role, languages: before.languages }),
      });
    },
  });
  const changeOnce = useMutateOnce(change);
  const askForProof = (member: Pick<Member, 'accountId' | 'email'>) => {
    change.reset();
    setToPromote(member);
  };
  const isChanging = ({ accountId }: Member) => change.isPending && change.variables.accountId === accountId;
  const remove = useMutation({
    mutationFn: ({ accountId }: Member) =>
      api.delete('/manage/v1/applications/{clientId}/members/{accountId}', { path: { clientId, accountId } }),
    async onSuccess(_, { accountId, email }) {
      notifications.show({ color: 'green', message: t('removed', { email }) });
      if (accountId === session?.accountId && !session.administrator) {
        await client.invalidateQueries({ queryKey: ['session'] });
        await navigate({ to: '/' });
      } else await reload();
    },
  });
  const removeOnce = useMutateOnce(remove);
  const askToRemove = (member: Member) =>
    modals.openConfirmModal({
      title: t('removeOf', { email: member.email }),
      children: t('removeAbout', { email: member.email }),
      labels: { confirm: t('remove'), cancel: shell('cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => removeOnce(member),
    });
  /** Asks before people remove their own access. */
  const askToChange = (member: Member, role: Role) => {
    if (role === 'owner') return askForProof(member);
    const doIt = () => changeOnce({ accountId: member.accountId, role, before: member });
    if (member.accountId !== session?.accountId || session.administrator) return doIt();
    modals.openConfirmModal({
      title: t('lowerSelf'),
      children: t('lowerSelfAbout'),
      labels: { confirm: t('lowerSelfConfirm'), cancel: shell('cancel') },
      confirmProps: { color: 'red' },
      onConfirm: doIt,
    });
  };

  if (members.isPending) return <LoadingState />;
  if (members.isError) return <ErrorState error={members.error} retry={() => members.refetch()} />;
  const { items, administrators } = members.data;
  const error = (toPromote ? null : change.error) ?? remove.error;
  return (
    <Stack gap="sm">
      {isLastOwner(error) ? (
        <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
          {t('lastOwner')}
        </Alert>
      ) : (
        <Problem error={error} />
      )}
      {items.length === 0 ? (
        <EmptyState icon={IconUsersGroup} title={t('nobody')}>
          {t('nobodyText')}
        </EmptyState>
      ) : (
        <Card withBorder padding={0}>
          <Stack gap={0} component="ul" p={0} m={0} aria-label={t('title')}>
            {items.map((member) => (
              <Group key={member.accountId} component="li" justify="space-between" px="md" py="sm" gap="sm">
                <Stack gap={0} miw={0} flex="1 1 220px">
                  <Group gap="xs">
                    <Text fw={500}>{member.email}</Text>
                    {member.accountId === session?.accountId && (
                      <Badge variant="light" tt="none">
                        {t('you')}
                      </Badge>
                    )}
                  </Group>
                  <Text size="sm" c="dimmed">
                    {t('since')} <Moment at={member.since} />
                  </Text>
                </Stack>
                <Group gap="xs">
                  {member.role === 'translator' && (
                    <LanguagesSelect
                      compact
                      clientId={clientId}
                      label={t('languagesOf', { email: member.email })}
                      value={member.languages ?? []}
                      disabled={isChanging(member)}
                      onChange={(languages) =>
                        changeOnce({ accountId: member.accountId, role: member.role, languages, before: member })
                      }
                    />
                  )}
                  <RoleSelect
                    compact
                    label={t('roleOf', { email: member.email })}
                    value={member.role}
                    disabled={isChanging(member)}
                    onChange={(role) => askToChange(member, role)}
                  />
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={t('removeOf', { email: member.email })}
                    onClick={() => askToRemove(member)}
                  >
                    {t('remove')}
                  </Button>
                </Group>
              </Group>
            ))}
          </Stack>
        </Card>
      )}
      {toPromote && (
        <MakeOwner
          email={toPromote.email}
          error={change.error}
          isPending={change.isPending}
          onClose={() => {
            change.reset();
            setToPromote(undefined);
          }}
          onConfirm={(proof) => {
            const before = items.find(({ accountId }) => accountId === toPromote.accountId);
            changeOnce({ accountId: toPromote.accountId, role: 'owner', proof, ...(before && { before }) });
          }}
        />
      )}
      {administrators.length > 0 && (
        <Stack gap={2}>
          <Title order={2} size="h5" mt="xs">
            {t('administrators')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('administratorsAbout')}
          </Text>
          <Text size="sm">{administrators.join(', ')}</Text>
        </Stack>
      )}
    </Stack>
  );
}

function isLastOwner(error: unknown): boolean {
  return isInnkeeperError(error) && error.status === 409;
}
