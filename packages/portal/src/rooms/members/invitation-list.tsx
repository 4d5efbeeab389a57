import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Moment } from '../../shell/moment.tsx';
import { ErrorState, LoadingState, Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { languagesQuery } from '../translations/languages-query.ts';
import { invitationsQuery } from './queries.ts';

export function InvitationList({ clientId }: { clientId: string }) {
  const { t } = useTranslation('members');
  const client = useQueryClient();
  const invitations = useQuery(invitationsQuery(clientId));
  const { data: known = [] } = useQuery(languagesQuery(clientId));
  const nameOf = (tag: string) => known.find((language) => language.tag === tag)?.name ?? tag;
  const revoke = useMutation({
    mutationFn: ({ invitationId }: { invitationId: string; email: string }) =>
      api.delete('/manage/v1/applications/{clientId}/invitations/{invitationId}', { path: { clientId, invitationId } }),
    onSuccess: (_, { email }) => notifications.show({ color: 'green', message: t('revoked', { email }) }),
    onSettled: () => client.invalidateQueries({ queryKey: invitationsQuery(clientId).queryKey }),
  });
  const revokeOnce = useMutateOnce(revoke);
  if (invitations.isPending) return <LoadingState />;
  if (invitations.isError) return <ErrorState error={invitations.error} retry={() => invitations.refetch()} />;
  if (invitations.data.length === 0) return null;
  return (
    <Stack gap="sm" component="section">
      <Stack gap={2}>
        <Title order={2} size="h4">
          {t('invitations')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('invitationsAbout')}
        </Text>
      </Stack>
      <Problem error={revoke.error} />
      <Card withBorder padding={0}>
        <Stack gap={0} component="ul" p={0} m={0} aria-label={t('invitations')}>
          {invitations.data.map(({ invitationId, email, role, languages, invitedBy, expiresAt }) => (
            <Group key={invitationId} component="li" justify="space-between" px="md" py="sm" gap="sm">
              <Stack gap={0} miw={0} flex="1 1 220px">
                <Group gap="xs">
                  <Text fw={500}>{email}</Text>
                  <Badge variant="light" color="gray" tt="none">
                    {[t(`role.${role}`), ...(languages ?? []).map(nameOf)].join(' · ')}
                  </Badge>
                </Group>
                <Text size="sm" c="dimmed">
                  {t('invitedBy', { who: invitedBy })} · {t('expires')} <Moment at={expiresAt} />
                </Text>
              </Stack>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={t('revokeOf', { email })}
                loading={revoke.isPending && revoke.variables.invitationId === invitationId}
                onClick={() => revokeOnce({ invitationId, email })}
              >
                {t('revoke')}
              </Button>
            </Group>
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}
