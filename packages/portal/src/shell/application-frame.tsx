import { isInnkeeperError } from '@innkeeper/client/manage';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { applicationQuery } from '../api/queries.ts';
import { NotFound } from './not-found.tsx';
import { ErrorState, LoadingState } from './states.tsx';

/** The frame of an application's rooms: shows none of them if the application does not exist for this account. */
export function ApplicationFrame() {
  const { clientId } = useParams({ from: '/frame/applications/$clientId' });
  const application = useQuery(applicationQuery(clientId));
  // While it loads, the room loads too.
  if (isInnkeeperError(application.error) && application.error.status === 404) return <NotFound />;
  // If a reload fails, the room stays, with what was typed in it.
  if (application.isLoadingError) return <ErrorState error={application.error} retry={() => application.refetch()} />;
  return (
    // Input for one application must not appear in another.
    <Suspense key={clientId} fallback={<LoadingState />}>
      <Outlet />
    </Suspense>
  );
}
