import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../shell/page-header.tsx';

export function MembersPage() {
  const { t } = useTranslation('members');
  return <PageHeader title={t('title')} />;
}
