import type { Problem } from './port.ts';

/** Reported after a write failed because the disk is full or not writable (docs/decisions/0021). */
export const DISK_PROBLEM: Problem = {
  kind: 'disk',
  message:
    'Writes failed within the last minute because the disk is full or cannot be written. Free some space: writes resume by themselves.',
  effect: 'read-only',
};

/** What to do about a damaged SQLite file, after a message that names it. The guide has the commands: docs/backup.md. */
export const RESTORE_STEPS =
  'Stop the service, move the file away together with its -wal and -shm files, keep its .secret file, and run `innkeeper restore BACKUP_FILE`: see "When the file is damaged" at /guide/backup.';

export const hardLinkSteps = (path: string): string =>
  `Stop every process that uses the file by any of its names, then delete the other names (find them with \`find / -xdev -samefile ${path}\`). For a copy, use \`innkeeper backup\`; for a second path, a symbolic link.`;
