import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useIsUnreachable } from '../api/connection.ts';
import classes from './frame.module.css';
import { useRetryQueries } from './use-retry-queries.ts';

/** Shown over the open page, which stays unchanged. */
export function Unreachable() {
  const { t } = useTranslation();
  const isAway = useIsUnreachable();
  useRetryQueries(isAway);
  if (!isAway) return null;
  return (
    <div className={classes.away} role="alert">
      <Alert role="none" color="yellow" icon={<IconPlugConnectedX aria-hidden />} title={t('unreachable.title')}>
        {t('unreachable.text')}
      </Alert>
    </div>
  );
}
