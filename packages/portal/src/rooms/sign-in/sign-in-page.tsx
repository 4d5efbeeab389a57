import { useLocation, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PORTAL_PATH } from '../../api/client.ts';
import { Entrance } from './entrance.tsx';
import { Forgotten } from './forgotten.tsx';
import { LinkEntrance } from './link-entrance.tsx';
import { PasswordForm } from './password-form.tsx';

/** With a link, its token is in the fragment: no server and no log sees it. */
export function SignInPage() {
  const { t } = useTranslation('sign-in');
  const { hash: token } = useLocation();
  const { next = '' } = useSearch({ from: '/sign-in' });
  // In the place of this page: its address, with the token, does not stay in the history.
  const goOn = (path = next) => location.replace(PORTAL_PATH + path);
  if (token !== '') return <LinkEntrance token={token} goOn={goOn} />;
  return (
    <Entrance title={t('title')}>
      <PasswordForm onEntered={() => goOn()} />
      <Forgotten />
    </Entrance>
  );
}
