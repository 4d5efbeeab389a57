import { useMatches } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { Outlet } from '@tanstack/react-router';
import classes from './root.module.css';
import { Unreachable } from './unreachable.tsx';

/** The outermost frame, signed in or not. */
export function Root() {
  // Where they cover nothing: in the top bar, or on a phone, whose bar is full, in the space at the end of a page.
  const position = useMatches<'bottom-center' | 'top-right'>({ base: 'bottom-center', sm: 'top-right' });
  return (
    <>
      {/* Inside the router, because notifications may contain links. */}
      <Notifications
        className={classes.notifications ?? ''}
        position={position}
        layout="stacked"
        containerWidth={560}
        limit={4}
        // Above the page and its bar, never above a dialog.
        zIndex={150}
      />
      <Unreachable />
      <Outlet />
    </>
  );
}
