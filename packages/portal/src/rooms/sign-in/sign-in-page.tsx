import { useLocation, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { PORTAL_PATH } from '../../api/client.ts';
import { patiently } from '../../api/connection.ts';
import { LoadingState } from '../../shell/states.tsx';
import { Entrance } from './entrance.tsx';
import { Forgotten } from './forgotten.tsx';
import { PasswordForm } from './password-form.tsx';

// Most come with a password: the first view is small without the forms of links.
const LinkEntrance = lazy(patiently(async () => ({ default: (await import('./link-entrance.tsx')).LinkEntrance })));

/** With a link, its token is in the fragment: no server and no log sees it. */
export function SignInPage() {
  const { t } = useTranslation('sign-in');
  const { hash: token } = useLocation();
  const { next = '' } = useSearch({ from: '/sign-in' });
  // In the place of this page: its address, with the token, does not stay in the history.
  const goOn = (path = next) => location.replace(PORTAL_PATH + path);
  if (token !== '') {
    return (
      <Suspense fallback={<LoadingState />}>
        <LinkEntrance token={token} goOn={goOn} />
      </Suspense>
    );
  }
  return (
    <Entrance title={t('title')}>
      <PasswordForm onEntered={() => goOn()} />
      <Forgotten />
    </Entrance>
  );
}
