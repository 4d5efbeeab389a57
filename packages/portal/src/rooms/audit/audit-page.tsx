import { Container } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { APPLICATION_ACTIONS } from './audit-looks.ts';
import { AuditTrail } from './audit-trail.tsx';

export function AuditPage() {
  const { t } = useTranslation('audit');
  const { clientId } = useParams({ from: '/frame/applications/$clientId/audit' });
  const can = useCan(clientId);
  return (
    <Container size="md" px={0} mx={0}>
      <PageHeader title={t('title')} description={t('description')} />
      <AuditTrail clientId={clientId} actions={APPLICATION_ACTIONS} canChooseActor={can('write')} />
    </Container>
  );
}
