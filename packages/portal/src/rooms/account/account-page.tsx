import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function AccountPage() {
  const { t } = useTranslation('account');
  return <PageHeader title={t('title')} />;
}
