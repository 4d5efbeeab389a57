import { isInnkeeperError } from '@innkeeper/client/manage';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { applicationQuery } from '../api/queries.ts';
import { NotFound } from './not-found.tsx';
import { ErrorState, LoadingState } from './states.tsx';

/** Around the rooms of one application: none is shown of one that is not there, or not for this account. */
export function ApplicationFrame() {
  const { clientId } = useParams({ from: '/frame/applications/$clientId' });
  const application = useQuery(applicationQuery(clientId));
  if (application.isPending) return <LoadingState />;
  if (isInnkeeperError(application.error) && application.error.status === 404) return <NotFound />;
  // One that is asked for again in vain stays, with what was typed in its rooms.
  if (application.isLoadingError) return <ErrorState error={application.error} retry={() => application.refetch()} />;
  return (
    // What was typed for one application is not there in another.
    <Suspense key={clientId} fallback={<LoadingState />}>
      <Outlet />
    </Suspense>
  );
}
