import { Container } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sessionQuery } from '../../api/queries.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { NoPermission } from '../../shell/states.tsx';
import { INSTALLATION_ACTIONS } from './audit-looks.ts';
import { AuditTrail } from './audit-trail.tsx';

/** Entries that concern no single application: for administrators. */
export function InstallationAuditPage() {
  const { t } = useTranslation('audit');
  const { data: session } = useSuspenseQuery(sessionQuery);
  return (
    <Container size="md" px={0}>
      <PageHeader title={t('installation.title')} description={t('installation.description')} />
      {session.administrator ? (
        <AuditTrail clientId={null} actions={INSTALLATION_ACTIONS} canChooseActor />
      ) : (
        <NoPermission>{t('installation.noPermission')}</NoPermission>
      )}
    </Container>
  );
}
