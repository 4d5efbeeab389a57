import { ConnectionPool, statement } from './connections.ts';

const PUT = statement(`
  insert into facts (name, value) values ('doctor', $1)
  on conflict (name) do update set value = excluded.value
`);

export async function tryWrite(url: string, value: string): Promise<void> {
  const connections = new ConnectionPool(url);
  try {
    await connections.write(PUT, [value]);
  } finally {
    await connections.close();
  }
}
