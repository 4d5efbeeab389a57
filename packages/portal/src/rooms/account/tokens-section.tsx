import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Copyable } from '../../shell/copy.tsx';
import { Moment } from '../../shell/moment.tsx';
import { ErrorState, LoadingState, Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import type { Needs } from './own-proof.tsx';
import { tokensQuery } from './queries.ts';
import { Section } from './section.tsx';
import { type KnownApplication, TokenForm } from './token-form.tsx';

/** Tokens for programs. A token is shown only once, when it is created. */
export function TokensSection({ session }: { session: Needs & { applications: readonly KnownApplication[] } }) {
  const { applications } = session;
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const tokens = useQuery(tokensQuery);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<{ name: string; token: string }>();
  const reload = () => client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const revoke = useMutation({
    mutationFn: (tokenId: string) => api.delete('/manage/v1/account/tokens/{tokenId}', { path: { tokenId } }),
    onSuccess: () => notifications.show({ message: t('revoked'), color: 'green' }),
    onSettled: reload,
  });
  const revokeOnce = useMutateOnce(revoke);
  const confirm = (tokenId: string, name: string) =>
    modals.openConfirmModal({
      title: t('revokeOf', { name }),
      children: t('revokeAbout'),
      labels: { confirm: t('revoke'), cancel: t('keep') },
      confirmProps: { color: 'red' },
      onConfirm: () => revokeOnce(tokenId),
    });
  const nameOf = (clientId: string) => applications.find((each) => each.clientId === clientId)?.name ?? clientId;
  if (tokens.isPending) return <LoadingState />;
  if (tokens.isError) return <ErrorState error={tokens.error} retry={() => tokens.refetch()} />;
  return (
    <Section
      title={t('tokens')}
      about={t('tokensAbout')}
      action={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            setMade(undefined);
            setMaking(true);
          }}
        >
          {t('makeToken')}
        </Button>
      }
    >
      {made && (
        <Alert
          color="green"
          icon={<IconKey aria-hidden />}
          title={t('keepToken', { name: made.name })}
          withCloseButton
          closeButtonLabel={t('hide')}
          onClose={() => setMade(undefined)}
          role="status"
        >
          <Copyable value={made.token} label={t('copyToken')} />
          <Text size="sm" mt="xs">
            {t('keepTokenText')}
          </Text>
        </Alert>
      )}
      <Problem error={revoke.error} />
      {tokens.data.length === 0 ? (
        <Text c="dimmed">{t('noTokens')}</Text>
      ) : (
        <Stack gap="sm" component="ul" p={0} m={0}>
          {tokens.data.map(({ tokenId, name, access, apps, expired, expiresAt, lastUsedAt }) => (
            <Group key={tokenId} component="li" justify="space-between" gap="sm" wrap="nowrap">
              <Stack gap={0} miw={0}>
                <Group gap="xs">
                  <Text fw={500}>{name}</Text>
                  <Badge variant="light" tt="none">
                    {t(`accessName.${access}`)}
                  </Badge>
                  {expired && (
                    <Badge variant="light" color="red" tt="none">
                      {t('expired')}
                    </Badge>
                  )}
                </Group>
                <Text size="sm" c="dimmed">
                  {/* As in the audit log. */}
                  {t('tokenId', { id: tokenId.slice(-12) })} ·{' '}
                  {apps === null ? t('allApplications') : apps.map(nameOf).join(', ')} ·{' '}
                  {lastUsedAt === null ? (
                    t('neverUsed')
                  ) : (
                    <>
                      {t('lastUsed')} <Moment at={lastUsedAt} />
                    </>
                  )}
                  {!expired && (
                    <>
                      {' '}
                      · {t('expires')} <Moment at={expiresAt} />
                    </>
                  )}
                </Text>
              </Stack>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                flex="none"
                aria-label={t('revokeOf', { name })}
                onClick={() => confirm(tokenId, name)}
              >
                {t('revoke')}
              </Button>
            </Group>
          ))}
        </Stack>
      )}
      <TokenForm
        opened={making}
        applications={applications}
        needs={session}
        onClose={() => setMaking(false)}
        onMade={(token) => {
          setMaking(false);
          setMade(token);
          void reload();
        }}
      />
    </Section>
  );
}
