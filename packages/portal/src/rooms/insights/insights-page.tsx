import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function InsightsPage() {
  const { t } = useTranslation('insights');
  return <PageHeader title={t('title')} />;
}
