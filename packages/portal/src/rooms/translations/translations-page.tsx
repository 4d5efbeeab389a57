import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function TranslationsPage() {
  const { t } = useTranslation('translations');
  return <PageHeader title={t('title')} />;
}
