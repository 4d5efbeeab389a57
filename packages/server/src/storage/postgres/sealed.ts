import { LIST_SEALED } from '../list-sealed.ts';
import { SEALED_PLACES, type SealedStore, type SealedText } from '../port.ts';
import { logChange } from './changes.ts';
import { type Connections, statement } from './connections.ts';

const LIST = statement(LIST_SEALED);

export function sealedStore(connections: Connections): SealedStore {
  return {
    list: () => connections.read<SealedText>(LIST),
    replace: (changes) =>
      connections.transaction(async (query) => {
        let replaced = 0;
        for (const { place, from, to } of changes) {
          const { table, column } = SEALED_PLACES[place];
          const rows = await query(`update ${table} set ${column} = $2 where ${column} = $1 returning 1`, [from, to]);
          replaced += rows.length;
        }
        return replaced;
      }),
    switchSecret: (fact, expected, check) =>
      connections.transaction(async (query) => {
        const rows = await query('update facts set value = $3 where name = $1 and value = $2 returning name', [
          fact,
          expected,
          check,
        ]);
        if (rows.length === 0) return 'changed';
        await logChange(query, 'secret', null);
        return 'switched';
      }),
  };
}
