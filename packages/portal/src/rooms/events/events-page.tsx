import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCan } from '../../api/access.ts';
import { PageHeader } from '../../shell/page-header.tsx';
import { NoPermission } from '../../shell/states.tsx';
import { EventList } from './event-list.tsx';

const HERE = '/frame/applications/$clientId/events';

export function EventsPage() {
  const { t } = useTranslation('events');
  const { clientId } = useParams({ from: HERE });
  const { type } = useSearch({ from: HERE });
  const navigate = useNavigate({ from: '/applications/$clientId/events' });
  const can = useCan(clientId);
  return (
    <>
      <PageHeader title={t('title')} description={t('about')} />
      {can('users') ? (
        <EventList
          clientId={clientId}
          type={type}
          onType={(chosen) => void navigate({ search: chosen ? { type: chosen } : {}, replace: true })}
        />
      ) : (
        <NoPermission>{t('noPermission')}</NoPermission>
      )}
    </>
  );
}
