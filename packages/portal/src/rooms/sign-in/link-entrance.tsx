import { isInnkeeperError } from '@innkeeper/client/manage';
import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client.ts';
import { LinkButton } from '../../shell/links.tsx';
import { ErrorState, LoadingState } from '../../shell/states.tsx';
import { Entrance } from './entrance.tsx';
import { Forgotten } from './forgotten.tsx';
import { InvitationEntrance } from './invitation-entrance.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { SignInLinkForm } from './sign-in-link-form.tsx';
import { useLetIn } from './use-let-in.ts';

/**
 * Opening a link does not use it up: that takes a click, so that programs that open it in advance (previews, mail
 * scanners) leave it valid.
 */
export function LinkEntrance({ token, goOn, letIn }: { token: string; goOn(path?: string): void; letIn(): void }) {
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
    return <Ended letIn={letIn} />;
  }
  const { kind, email = '' } = link.data;
  if (kind === 'set-up') {
    return (
      <Entrance title={t('setUpTitle')} about={t('aboutSetUp')}>
        <SetUpForm token={token} goOn={goOn} />
      </Entrance>
    );
  }
  if (kind === 'invitation') return <InvitationEntrance token={token} invitation={link.data} goOn={goOn} />;
  return (
    <Entrance title={t('title')} about={t('about', { email })}>
      <SignInLinkForm token={token} needsCode={link.data.needsCode ?? false} goOn={goOn} />
    </Entrance>
  );
}

function Ended({ letIn }: { letIn(): void }) {
  const { t } = useTranslation('sign-in');
  const isLetIn = useLetIn(() => {
    notifications.show({ id: 'link-ended', message: t('linkEndedSignedIn'), autoClose: 10_000 });
    letIn();
  });
  if (isLetIn) return <LoadingState />;
  return (
    <Entrance title={t('linkEnded')} about={t('linkEndedText')}>
      <Text size="sm">{t('linkEndedNext')}</Text>
      <LinkButton to="/sign-in">{t('withPassword')}</LinkButton>
      <Forgotten />
    </Entrance>
  );
}
