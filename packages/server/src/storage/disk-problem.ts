import type { Problem } from './port.ts';

/** Reported after a write failed because the disk is full or not writable (docs/decisions/0021). */
export const DISK_PROBLEM: Problem = {
  kind: 'disk',
  message:
    'Writes failed within the last minute because the disk is full or cannot be written. Free some space: writes resume by themselves.',
  effect: 'read-only',
};
