import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function UsersPage() {
  const { t } = useTranslation('users');
  return <PageHeader title={t('title')} />;
}
