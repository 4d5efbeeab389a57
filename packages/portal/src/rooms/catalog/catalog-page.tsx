import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function CatalogPage() {
  const { t } = useTranslation('catalog');
  return <PageHeader title={t('title')} />;
}
