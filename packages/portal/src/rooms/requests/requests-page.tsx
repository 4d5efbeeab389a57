import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function RequestsPage() {
  const { t } = useTranslation('requests');
  return <PageHeader title={t('title')} />;
}
