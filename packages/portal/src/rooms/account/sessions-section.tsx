import { Badge, Button, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { Moment } from '../../shell/moment.tsx';
import { ErrorState, LoadingState, Problem } from '../../shell/states.tsx';
import { useMutateOnce } from '../../shell/use-once.ts';
import { describeBrowser } from './describe-browser.ts';
import { sessionsQuery } from './queries.ts';
import { Section } from './section.tsx';

export function SessionsSection() {
  const { t } = useTranslation('account');
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    async mutationFn(sessionIds: string[]) {
      for (const sessionId of sessionIds) {
        await api.delete('/manage/v1/account/sessions/{sessionId}', { path: { sessionId } });
      }
    },
    onSuccess: (_, { length }) => notifications.show({ message: t('ended', { count: length }), color: 'green' }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const endOnce = useMutateOnce(end);
  if (sessions.isPending) return <LoadingState />;
  if (sessions.isError) return <ErrorState error={sessions.error} retry={() => sessions.refetch()} />;
  const others = sessions.data.filter(({ current }) => !current);
  return (
    <Section
      title={t('sessions')}
      about={t('sessionsAbout')}
      action={
        others.length > 1 && (
          <Button
            variant="default"
            loading={end.isPending}
            onClick={() => endOnce(others.map(({ sessionId }) => sessionId))}
          >
            {t('endOthers')}
          </Button>
        )
      }
    >
      <Problem error={end.error} />
      <Stack gap="sm" component="ul" p={0} m={0}>
        {sessions.data.map((session) => {
          const { sessionId, current, userAgent, lastSeenAt, signedInAt } = session;
          const known = describeBrowser(userAgent);
          const isPhone = known?.system === 'Android' || known?.system === 'iOS';
          const Icon = isPhone ? IconDeviceMobile : IconDeviceDesktop;
          const name = known
            ? [known.browser, known.system].filter(Boolean).join(', ')
            : userAgent || t('unknownBrowser');
          return (
            <Group key={sessionId} component="li" justify="space-between" gap="sm" wrap="nowrap">
              <Group gap="sm" wrap="nowrap" miw={0}>
                <ThemeIcon variant="default" size="lg" flex="none">
                  <Icon size={20} stroke={1.5} aria-hidden />
                </ThemeIcon>
                <Stack gap={0} miw={0}>
                  <Group gap="xs">
                    <Text fw={500} title={userAgent}>
                      {name}
                    </Text>
                    {current && (
                      <Badge variant="light" tt="none">
                        {t('thisOne')}
                      </Badge>
                    )}
                  </Group>
                  <Text size="sm" c="dimmed">
                    {t('lastSeen')} <Moment at={lastSeenAt} /> · {t('signedInAt')} <Moment at={signedInAt} />
                  </Text>
                </Stack>
              </Group>
              {!current && (
                <Button
                  variant="subtle"
                  color="red"
                  size="compact-sm"
                  flex="none"
                  aria-label={t('endOf', { name })}
                  loading={end.isPending && end.variables.includes(sessionId)}
                  onClick={() => endOnce([sessionId])}
                >
                  {t('end')}
                </Button>
              )}
            </Group>
          );
        })}
      </Stack>
    </Section>
  );
}
