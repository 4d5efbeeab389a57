import type { FactStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';

const GET = statement('select value from facts where name = $1');

// The update changes nothing: it makes a conflict answer with the row that won, even one committed a moment ago.
const SETTLE = statement(`
  insert into facts (name, value) values ($1, $2)
  on conflict (name) do update set value = facts.value
  returning value
`);

const REPLACE = statement('update facts set value = $3 where name = $1 and value = $2 returning name');

export function factStore(connections: Connections): FactStore {
  return {
    async get(name) {
      const [row] = await connections.read<{ value: string }>(GET, [name]);
      return row?.value;
    },
    async settle(name, value) {
      const [row] = await connections.write<{ value: string }>(SETTLE, [name, value]);
      if (!row) throw new Error(`Fact ${name} was neither written nor found.`);
      return row.value;
    },
    async replace(name, expected, value) {
      return (await connections.write(REPLACE, [name, expected, value])).length > 0;
    },
  };
}
