import { Outlet } from '@tanstack/react-router';
import { Unreachable } from './unreachable.tsx';

/** Around everything, signed in or not. */
export function Root() {
  return (
    <>
      <Unreachable />
      <Outlet />
    </>
  );
}
