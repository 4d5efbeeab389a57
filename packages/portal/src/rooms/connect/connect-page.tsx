import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function ConnectPage() {
  const { t } = useTranslation('connect');
  return <PageHeader title={t('title')} />;
}
