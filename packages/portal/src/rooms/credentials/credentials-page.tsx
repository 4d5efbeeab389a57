import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function CredentialsPage() {
  const { t } = useTranslation('credentials');
  return <PageHeader title={t('title')} />;
}
