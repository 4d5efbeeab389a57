import { Alert, Box, Loader, Text } from '@mantine/core';
import { IconUserCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { applicationQuery } from '../../api/queries.ts';
import { LinkButton } from '../../shell/links.tsx';
import { usersQuery } from '../users/queries.ts';

/** How often to poll: after running a snippet, people look here next. */
const EVERY = 2_000;

/** By clientId, for this tab: applications that had no users when viewed, and their first user. */
const awaited = new Map<string, string | undefined>();

/** Stays true afterwards, so that the user is still shown after leaving the page. */
export function awaitsFirstUser(clientId: string, users: number): boolean {
  if (users === 0 && !awaited.has(clientId)) awaited.set(clientId, undefined);
  return awaited.has(clientId);
}

/** For an application without users: shows its first user as soon as a snippet has created one. */
export function FirstUser({ clientId }: { clientId: string }) {
  const { t } = useTranslation('connect');
  const { data } = useInfiniteQuery({
    ...usersQuery(clientId, {}),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.length ? false : EVERY),
  });
  const users = data?.pages[0]?.items ?? [];
  const user = users.find(({ userUid }) => userUid === awaited.get(clientId)) ?? users[0];
  const userUid = user?.userUid;
  const queries = useQueryClient();
  useEffect(() => {
    if (userUid === undefined) return;
    awaited.set(clientId, userUid);
    void queries.invalidateQueries({ queryKey: applicationQuery(clientId).queryKey, exact: true });
  }, [userUid, queries, clientId]);
  return (
    <Box role="status" mb="md">
      {user ? (
        <Alert
          variant="light"
          icon={<IconUserCheck aria-hidden />}
          title={t('first.here', { name: user.clientUserName })}
        >
          <LinkButton
            size="sm"
            to="/applications/$clientId/users/$userUid"
            params={{ clientId, userUid: user.userUid }}
          >
            {t('first.see', { name: user.clientUserName })}
          </LinkButton>
        </Alert>
      ) : (
        <Alert variant="light" color="gray" icon={<Loader size={18} color="gray" aria-hidden />}>
          <Text size="sm">{t('first.waiting')}</Text>
        </Alert>
      )}
    </Box>
  );
}
