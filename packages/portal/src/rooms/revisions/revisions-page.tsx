import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function RevisionsPage() {
  const { t } = useTranslation('revisions');
  return <PageHeader title={t('title')} />;
}
