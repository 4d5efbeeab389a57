import type { Connection } from './connection.ts';

export function factReads(connection: Connection) {
  return {
    async get(name: string): Promise<string | undefined> {
      return connection.statement('select value from facts where name = ?').get(name)?.value as string | undefined;
    },
  };
}

export function factActs(connection: Connection) {
  return {
    settleFact(name: string, value: string): string {
      connection.statement('insert into facts (name, value) values (?, ?) on conflict do nothing').run(name, value);
      return connection.statement('select value from facts where name = ?').get(name)?.value as string;
    },
    replaceFact(name: string, expected: string, value: string): boolean {
      const replace = connection.statement('update facts set value = ? where name = ? and value = ?');
      return replace.run(value, name, expected).changes > 0;
    },
  };
}
