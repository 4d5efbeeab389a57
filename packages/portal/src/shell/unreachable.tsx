import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsUnreachable } from '../api/connection.ts';
import classes from './frame.module.css';

/** Over whatever page is open, which stays as it is. What had failed is asked for again when the service is back. */
export function Unreachable() {
  const { t } = useTranslation();
  const isAway = useIsUnreachable();
  const wasAway = useRef(false);
  const client = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    if (wasAway.current && !isAway) {
      void client.resetQueries({ predicate: ({ state }) => state.status === 'error' });
      void client.invalidateQueries();
      void router.invalidate();
    }
    wasAway.current = isAway;
  }, [isAway, client, router]);
  if (!isAway) return null;
  return (
    <div className={classes.away} role="alert">
      <Alert role="none" color="yellow" icon={<IconPlugConnectedX aria-hidden />} title={t('unreachable.title')}>
        {t('unreachable.text')}
      </Alert>
    </div>
  );
}
