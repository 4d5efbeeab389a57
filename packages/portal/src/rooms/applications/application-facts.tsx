import { Group, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Moment } from '../../shell/moment.tsx';
import { overviewQuery } from '../overview/queries.ts';

/** An application's state. Loaded when visible: of hundreds, only a few are. */
export function ApplicationFacts({ clientId }: { clientId: string }) {
  const { t, i18n } = useTranslation('applications');
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [wasSeen, setWasSeen] = useState(false);
  if (inViewport && !wasSeen) setWasSeen(true);
  const { data } = useQuery({
    ...overviewQuery(clientId),
    enabled: wasSeen,
    staleTime: 60_000,
    refetchInterval: false,
  });
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Group ref={ref} gap="md" mih={22} mt={6}>
      {data && (
        <>
          <Text size="sm">
            {t('facts.users', {
              count: data.totals.users.count,
              shown: `${number.format(data.totals.users.count)}${data.totals.users.more ? '+' : ''}`,
            })}
          </Text>
          <Text size="sm" {...(data.lastDay.errors > 0 && { c: 'red', fw: 500 })}>
            {t('facts.errors', { count: data.lastDay.errors, shown: number.format(data.lastDay.errors) })}
          </Text>
          <Text size="sm" c="dimmed">
            {data.lastRequestAt === null ? (
              t('facts.unused')
            ) : (
              <>
                {t('facts.lastActive')} <Moment at={data.lastRequestAt} />
              </>
            )}
          </Text>
        </>
      )}
    </Group>
  );
}
