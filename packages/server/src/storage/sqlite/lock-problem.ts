import type { Problem } from '../port.ts';

/** Reported after a write failed to get the lock, until a write succeeds. */
export const LOCK_PROBLEM: Problem = {
  kind: 'lock',
  message:
    'Writes fail because another process has locked the database for more than 5 seconds. A scrub, restore or import ends by itself; find one that hangs or was stopped, or another program that has the file open, and end it. Writes resume by themselves.',
  effect: 'read-only',
};
