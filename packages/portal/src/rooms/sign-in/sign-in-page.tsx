import { useLocation, useRouter, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PORTAL_PATH } from '../../api/client.ts';
import { patiently } from '../../api/connection.ts';
import { LoadingState } from '../../shell/states.tsx';
import { Entrance } from './entrance.tsx';
import { Forgotten } from './forgotten.tsx';
import { PasswordForm } from './password-form.tsx';
import { useLetIn } from './use-let-in.ts';

// Most come with a password: the first view is small without the forms of links.
const LinkEntrance = lazy(patiently(async () => ({ default: (await import('./link-entrance.tsx')).LinkEntrance })));

/** With a link, its token is in the fragment: no server and no log sees it. */
export function SignInPage() {
  const { hash: token } = useLocation();
  const { history } = useRouter();
  const { next = '' } = useSearch({ from: '/sign-in' });
  // In the place of this page: its address, with the token, does not stay in the history.
  const goOn = (path = next) => location.replace(PORTAL_PATH + path);
  // A signed-in person sees no new page: the message stays.
  const letIn = () => history.replace(PORTAL_PATH + next);
  if (token !== '') {
    return (
      <Suspense fallback={<LoadingState />}>
        <LinkEntrance token={token} goOn={goOn} letIn={letIn} />
      </Suspense>
    );
  }
  return <PasswordEntrance goOn={() => goOn()} letIn={letIn} />;
}

function PasswordEntrance({ goOn, letIn }: { goOn(): void; letIn(): void }) {
  const { t } = useTranslation('sign-in');
  const [email, setEmail] = useState('');
  if (useLetIn(letIn)) return <LoadingState />;
  return (
    <Entrance title={t('title')}>
      <PasswordForm onEntered={goOn} onEmail={setEmail} />
      <Forgotten email={email} />
    </Entrance>
  );
}
