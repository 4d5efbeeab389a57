import { Alert, Stack } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sessionQuery, signInMethodsQuery } from '../../api/queries.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { PasswordSection } from './password-section.tsx';
import { PreferencesSection } from './preferences-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { TokensSection } from './tokens-section.tsx';
import { TotpSection } from './totp-section.tsx';

export function AccountPage() {
  const { t } = useTranslation('account');
  const { data: session } = useSuspenseQuery(sessionQuery);
  const { data: methods } = useSuspenseQuery(signInMethodsQuery);
  return (
    <Stack maw={860} mx="auto" gap="lg">
      <PageHeader
        title={t('title')}
        description={t(session.administrator ? 'aboutAdministrator' : 'about', { email: session.email })}
      />
      {methods.password && !session.hasPassword && !methods.oidc && (
        <Alert color="yellow" icon={<IconKey aria-hidden />} title={t('noPassword')}>
          {t('noPasswordText')}
        </Alert>
      )}
      {methods.password && <PasswordSection session={session} />}
      <TotpSection session={session} />
      <SessionsSection />
      <TokensSection session={session} />
      <PreferencesSection />
    </Stack>
  );
}
