import { DatabaseSync } from 'node:sqlite';

/** SQLite's own view of a file, bypassing the service. */
export function inspectFile(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const integrity = database.prepare('pragma integrity_check').get()?.integrity_check;
    const half = database
      .prepare(
        `select (select count(*) from users u left join profiles p on p.user_id = u.user_id where p.user_id is null)
              + (select count(*) from profiles p left join users u on u.user_id = p.user_id where u.user_id is null) as n`,
      )
      .get()?.n;
    return [
      ...(integrity === 'ok' ? [] : [`integrity check: ${integrity}`]),
      ...(half === 0 ? [] : [`${half} users are half there`]),
    ];
  } catch (error) {
    return [`the file cannot be read: ${(error as Error).message}`];
  } finally {
    database.close();
  }
}
