import { Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PAGE } from './queries.ts';

type Pages = {
  hasNextPage: boolean;
  isFetching: boolean;
  isPlaceholderData: boolean;
  isError: boolean;
  fetchNextPage(): Promise<unknown>;
};

/** A page of a search among millions may be short: shows the progress and loads more until a page is full. */
export function SearchOn(props: { users: Pages; found: number; searched: number; isSearch: boolean }) {
  const { users, found, searched, isSearch } = props;
  const { t } = useTranslation('users');
  const [wanted, setWanted] = useState(PAGE);
  const goesOn = users.hasNextPage && !users.isError && found < wanted;
  const isReady = !users.isFetching && !users.isPlaceholderData;
  useEffect(() => {
    if (goesOn && isReady) void users.fetchNextPage();
  }, [goesOn, isReady, users]);
  if (!users.hasNextPage || users.isPlaceholderData) return null;
  return (
    <Center mt="md">
      <Stack align="center" gap="xs">
        {found === 0 && <Text c="dimmed">{t('notYet')}</Text>}
        {goesOn && isSearch ? (
          <Group gap="sm">
            <Loader size="xs" aria-hidden />
            <Text size="sm" role="status">
              {t('searched', { count: searched })}
            </Text>
            <Button size="compact-sm" variant="default" onClick={() => setWanted(found)}>
              {t('stop')}
            </Button>
          </Group>
        ) : (
          <Button variant="default" loading={goesOn} onClick={() => setWanted(found + PAGE)}>
            {isSearch ? t('searchOn') : t('more')}
          </Button>
        )}
      </Stack>
    </Center>
  );
}
