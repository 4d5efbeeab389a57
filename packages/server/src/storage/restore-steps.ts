/** What to do about a damaged SQLite file, after a message that names it. The guide has the commands: docs/backup.md. */
export const RESTORE_STEPS =
  'Stop the service, move the file away together with its -wal and -shm files, keep its .secret file, and run `innkeeper restore BACKUP_FILE`: see "When the file is damaged" in docs/backup.md.';
