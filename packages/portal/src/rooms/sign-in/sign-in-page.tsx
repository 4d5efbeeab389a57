import { Divider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useRouter, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PORTAL_PATH } from '../../api/client.ts';
import { loadWhenReachable } from '../../api/connection.ts';
import { signInMethodsQuery } from '../../api/queries.ts';
import { LoadingState } from '../../shell/states.tsx';
import { Forgotten } from './forgotten.tsx';
import { forgetInvitation, keptInvitation } from './kept-invitation.ts';
import { PasswordForm } from './password-form.tsx';
import type { ProviderProblemName } from './problem-names.ts';
import { ProviderButton } from './provider-button.tsx';
import { ProviderProblem } from './provider-problem.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { useRedirectSignedIn } from './use-redirect-signed-in.ts';

// Most people use a password: without the forms for links, the first page is small.
const LinkSignIn = lazy(loadWhenReachable(async () => ({ default: (await import('./link-sign-in.tsx')).LinkSignIn })));

/** With a link, its token is in the fragment: no server and no log sees it. */
export function SignInPage() {
  const { hash } = useLocation();
  // Back from the OpenID provider with an invitation to accept.
  const [token] = useState(hash || keptInvitation());
  useEffect(forgetInvitation, []);
  const { history } = useRouter();
  const { next = '', problem } = useSearch({ from: '/sign-in' });
  // Replaces this page, so that its URL with the token does not stay in the history.
  const goOn = (path = next) => location.replace(PORTAL_PATH + path);
  // A signed-in person sees no new page: the message stays.
  const onSignedIn = () => history.replace(PORTAL_PATH + next);
  if (token !== '') {
    return (
      <Suspense fallback={<LoadingState />}>
        <LinkSignIn token={token} goOn={goOn} onSignedIn={onSignedIn} />
      </Suspense>
    );
  }
  return <PasswordSignIn next={next} problem={problem} goOn={() => goOn()} onSignedIn={onSignedIn} />;
}

type PlainProps = { next: string; problem: ProviderProblemName | undefined; goOn(): void; onSignedIn(): void };

/** Without a link: by password, or with the OpenID provider. */
function PasswordSignIn({ next, problem, goOn, onSignedIn }: PlainProps) {
  const { t } = useTranslation('sign-in');
  const [email, setEmail] = useState('');
  const methods = useQuery(signInMethodsQuery);
  if (useRedirectSignedIn(onSignedIn) || methods.isPending) return <LoadingState />;
  // A service that does not support this still accepts passwords.
  const { password = true, oidc } = methods.data ?? {};
  return (
    <SignInFrame title={t('title')}>
      {problem && <ProviderProblem problem={problem} />}
      {oidc && <ProviderButton label={t('withProvider', oidc)} next={next} />}
      {oidc && password && <Divider label={t('or')} />}
      {password && (
        <>
          <PasswordForm onEntered={goOn} onEmail={setEmail} />
          <Forgotten email={email} />
        </>
      )}
    </SignInFrame>
  );
}
