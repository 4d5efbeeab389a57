import { IconDoorOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from './links.tsx';
import { EmptyState } from './states.tsx';

/** Links to the nearest known page. */
export function NotFound({ action }: { action?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconDoorOff}
      title={t('notFound.title')}
      action={action ?? <LinkButton to="/">{t('toApplications')}</LinkButton>}
    >
      {t('notFound.text')}
    </EmptyState>
  );
}
