import type { FactStore } from '../port.ts';
import type { CommonStore } from './store.ts';

export const facts: CommonStore<FactStore, 'get'> = {
  reads: {
    async get(query, name) {
      const [row] = await query<{ value: string }>('select value from facts where name = $1', [name]);
      return row?.value;
    },
  },
  acts: {
    async settle({ query }, name, value) {
      // The update changes nothing: it makes a conflict answer with the row that won, even one committed a moment ago.
      const [row] = await query<{ value: string }>(
        `insert into facts (name, value) values ($1, $2)
         on conflict (name) do update set value = facts.value returning value`,
        [name, value],
      );
      if (!row) throw new Error(`Fact ${name} was neither written nor found.`);
      return row.value;
    },
    async replace({ query }, name, expected, value) {
      const text = 'update facts set value = $3 where name = $1 and value = $2 returning name';
      return (await query(text, [name, expected, value])).length > 0;
    },
  },
};
