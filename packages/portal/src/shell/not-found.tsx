import { IconDoorOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from './links.tsx';
import { EmptyState } from './states.tsx';

export function NotFound() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconDoorOff}
      title={t('notFound.title')}
      action={<LinkButton to="/">{t('toApplications')}</LinkButton>}
    >
      {t('notFound.text')}
    </EmptyState>
  );
}
