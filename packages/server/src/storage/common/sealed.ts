import { SEALED_PLACES, type SealedPlace, type SealedStore, type SealedText } from '../port.ts';
import { facts } from './facts.ts';
import type { CommonStore } from './store.ts';

const LIST = (Object.keys(SEALED_PLACES) as SealedPlace[])
  .map((place) => {
    const { table, column } = SEALED_PLACES[place];
    return `select '${place}' as place, ${column} as sealed from ${table} where ${column} <> ''`;
  })
  .join(' union all ');

export const sealed: CommonStore<SealedStore, 'list'> = {
  reads: { list: (query) => query<SealedText>(LIST) },
  acts: {
    async replace({ query }, changes) {
      let replaced = 0;
      for (const { place, from, to } of changes) {
        const { table, column } = SEALED_PLACES[place];
        const rows = await query(`update ${table} set ${column} = $2 where ${column} = $1 returning ${column}`, [
          from,
          to,
        ]);
        replaced += rows.length;
      }
      return replaced;
    },
    async switchSecret(act, fact, expected, check) {
      if (!(await facts.acts.replace(act, fact, expected, check))) return 'changed';
      await act.logChange('secret', null);
      return 'switched';
    },
  },
};
