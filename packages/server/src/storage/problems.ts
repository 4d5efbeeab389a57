import type { Problem } from './port.ts';

/** How long a failure is reported: without another one, it is unknown whether the next call would fail. */
const REPORTED_MS = 60_000;

/** Whether calls failed recently: for example, writes on a full disk while reads work. */
export class RecentFailure {
  #at = Number.NEGATIVE_INFINITY;
  #last: unknown;

  note(error?: unknown): void {
    this.#at = performance.now();
    this.#last = error;
  }

  clear(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  get isRecent(): boolean {
    return performance.now() - this.#at < REPORTED_MS;
  }

  /** The last error recorded. */
  get last(): unknown {
    return this.#last;
  }
}

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
