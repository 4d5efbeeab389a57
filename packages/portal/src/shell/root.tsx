import { Notifications } from '@mantine/notifications';
import { Outlet } from '@tanstack/react-router';
import { Unreachable } from './unreachable.tsx';

/** Around everything, signed in or not. */
export function Root() {
  return (
    <>
      {/* Inside the router: what is told may hold links. */}
      <Notifications position="top-center" limit={4} />
      <Unreachable />
      <Outlet />
    </>
  );
}
