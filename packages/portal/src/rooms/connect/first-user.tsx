import { Alert, Box, Loader, Text } from '@mantine/core';
import { IconUserCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { applicationQuery } from '../../api/queries.ts';
import { LinkButton } from '../../shell/links.tsx';
import { usersQuery } from '../users/queries.ts';

/** How often it is asked for: whoever has run a snippet looks here next. */
const EVERY = 2_000;

/** Of an application that nobody uses: its first user is shown as soon as a snippet has made one. */
export function FirstUser({ clientId }: { clientId: string }) {
  const { t } = useTranslation('connect');
  const { data } = useInfiniteQuery({
    ...usersQuery(clientId, ''),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.length ? false : EVERY),
  });
  const user = data?.pages[0]?.items[0];
  const isThere = user !== undefined;
  const queries = useQueryClient();
  useEffect(() => {
    if (isThere) void queries.invalidateQueries({ queryKey: applicationQuery(clientId).queryKey, exact: true });
  }, [isThere, queries, clientId]);
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
