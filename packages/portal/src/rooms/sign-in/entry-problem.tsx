import { isInnkeeperError } from '@innkeeper/client/manage';
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Problem } from '../../shell/states.tsx';

/** Address and password were right: only the code is missing. */
export function asksForCode(error: unknown): boolean {
  return isInnkeeperError(error) && error.body.needs === 'code';
}

/** The usual errors in the reader's language; `failed` says what a 401 means here. */
export function EntryProblem({ error, failed }: { error: unknown; failed: string }) {
  const { t } = useTranslation('sign-in');
  if (error === null || asksForCode(error)) return null;
  const status = isInnkeeperError(error) ? error.status : undefined;
  const text = status === 401 ? failed : status === 429 ? t('tooMany') : undefined;
  if (text === undefined) return <Problem error={error} />;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
      {text}
    </Alert>
  );
}
