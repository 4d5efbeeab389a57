import { Alert, Anchor } from '@mantine/core';
import { IconDoorExit } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { PORTAL_PATH } from '../api/client.ts';
import { useHasSessionEnded } from '../api/query-client.ts';
import { useRetryQueries } from './use-retry-queries.ts';

/** If the session ends while a page is open, the page stays as it is: no input is lost. */
export function SignedOut() {
  const { t } = useTranslation();
  const hasEnded = useHasSessionEnded();
  useRetryQueries(hasEnded);
  if (!hasEnded) return null;
  return (
    <Alert color="yellow" icon={<IconDoorExit aria-hidden />} title={t('signedOut.title')} mb="md" role="alert">
      {t('signedOut.text')} <SignInAgain />
    </Alert>
  );
}

export function SignInAgain() {
  const { t } = useTranslation();
  return (
    <Anchor href={`${PORTAL_PATH}/sign-in`} target="_blank" rel="noreferrer" inherit>
      {t('signedOut.link')}
    </Anchor>
  );
}
