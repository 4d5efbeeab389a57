import { connectToWrite } from './connection.ts';

/** A value that is there already would not be written again. */
export function tryWrite(path: string, value: string): void {
  const connection = connectToWrite(path);
  try {
    connection
      .statement(
        `insert into facts (name, value) values ('doctor', ?)
         on conflict (name) do update set value = excluded.value`,
      )
      .run(value);
  } finally {
    connection.close();
  }
}
