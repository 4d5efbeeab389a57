import { useBlocker } from '@tanstack/react-router';
import { LeaveDialog } from '../shell/leave-dialog.tsx';
import { hasUnsaved } from './unsaved.ts';

type Place = { pathname: string; search: object };

/** The same page and item: only a dialog opens or closes, and the input stays. */
function isSamePlace(current: Place, next: Place): boolean {
  const itemOf = ({ search }: Place) => ('item' in search ? search.item : undefined);
  return current.pathname === next.pathname && itemOf(current) === itemOf(next);
}

/** Used once in a room whose forms call useUnsaved(). When the window is closed, the browser asks. */
export function AskBeforeLeaving() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasUnsaved() && !isSamePlace(current, next),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  });
  return <LeaveDialog opened={status === 'blocked'} onLeave={() => proceed?.()} onStay={() => reset?.()} />;
}
