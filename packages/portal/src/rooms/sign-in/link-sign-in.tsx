import { isInnkeeperError } from '@innkeeper/client/manage';
import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { LinkButton } from '../../shell/links.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { Forgotten } from './forgotten.tsx';
import { InvitationSignIn } from './invitation-sign-in.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { SignInLinkForm } from './sign-in-link-form.tsx';
import { useRedirectSignedIn } from './use-redirect-signed-in.ts';

/**
 * Opening a link does not use it up: that takes a click, so that programs that open it in advance (previews, mail
 * scanners) leave it valid.
 */
export function LinkSignIn({
  token,
  goOn,
  onSignedIn,
}: {
  token: string;
  goOn(path?: string): void;
  onSignedIn(): void;
}) {
  const { t } = useTranslation('sign-in');
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: async () => (await api.post('/manage/v1/session/link', { body: { token } })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (link.isPending) return <LoadingState />;
  if (link.isError) {
    if (!isInnkeeperError(link.error) || link.error.status !== 401) {
      return <ErrorState error={link.error} retry={() => link.refetch()} />;
    }
    return <Ended onSignedIn={onSignedIn} />;
  }
  const { kind, email = '' } = link.data;
  if (kind === 'set-up') {
    return (
      <SignInFrame title={t('setUpTitle')} about={t('aboutSetUp')}>
        <SetUpForm token={token} goOn={goOn} />
      </SignInFrame>
    );
  }
  if (kind === 'invitation') return <InvitationSignIn token={token} invitation={link.data} goOn={goOn} />;
  return (
    <SignInFrame title={t('title')} about={t('about', { email })}>
      <SignInLinkForm token={token} needsCode={link.data.needsCode ?? false} goOn={goOn} />
    </SignInFrame>
  );
}

function Ended({ onSignedIn }: { onSignedIn(): void }) {
  const { t } = useTranslation('sign-in');
  const isSignedIn = useRedirectSignedIn(() => {
    notifications.show({ id: 'link-ended', message: t('linkEndedSignedIn'), autoClose: 10_000 });
    onSignedIn();
  });
  if (isSignedIn) return <LoadingState />;
  return (
    <SignInFrame title={t('linkEnded')} about={t('linkEndedText')}>
      <Text size="sm">{t('linkEndedNext')}</Text>
      <LinkButton to="/sign-in">{t('withPassword')}</LinkButton>
      <Forgotten />
    </SignInFrame>
  );
}
