import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notifyProblem } from '../../shell/notify.tsx';
import { type Chosen, collectUsers, MAX_COLLECTED } from './collect-users.ts';
import type { Filters } from './filters.ts';

type Props = { clientId: string; filters: Filters; listed: number; onChosen(users: Chosen[]): void };

/** All listed users are ticked, and there are more: offers to tick those too. */
export function ChooseEverything({ clientId, filters, listed, onChosen }: Props) {
  const { t } = useTranslation('users');
  const { t: shell } = useTranslation();
  const [count, setCount] = useState(0);
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const collecting = useMutation({
    mutationFn: () => {
      control.current = new AbortController();
      return collectUsers(clientId, filters, { signal: control.current.signal, onProgress: setCount });
    },
    onSuccess(users) {
      if (users.length === MAX_COLLECTED)
        notifications.show({ color: 'yellow', message: t('bulk.cut', { count: MAX_COLLECTED }) });
      onChosen(users);
    },
    onError: (error) => {
      if (!control.current?.signal.aborted) notifyProblem(error);
    },
    onSettled: () => setCount(0),
  });
  return (
    <Group gap="xs" mb="xs">
      <Text size="sm" role="status">
        {collecting.isPending ? t('bulk.collecting', { count }) : t('bulk.listed', { count: listed })}
      </Text>
      {collecting.isPending ? (
        <Button size="compact-sm" variant="default" onClick={() => control.current?.abort()}>
          {shell('cancel')}
        </Button>
      ) : (
        <Button size="compact-sm" variant="light" onClick={() => collecting.mutate()}>
          {t('bulk.everything')}
        </Button>
      )}
    </Group>
  );
}
