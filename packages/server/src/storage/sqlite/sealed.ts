import { LIST_SEALED } from '../list-sealed.ts';
import { SEALED_PLACES, type SealedStore, type SealedText } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { factActs } from './facts.ts';

export function sealedReads(connection: Connection): Pick<SealedStore, 'list'> {
  return {
    async list() {
      return connection.statement<SealedText>(LIST_SEALED).all();
    },
  };
}

export function sealedActs(connection: Connection) {
  const { replaceFact } = factActs(connection);
  return {
    replaceSealed(changes: Parameters<SealedStore['replace']>[0]): number {
      let replaced = 0;
      for (const { place, from, to } of changes) {
        const { table, column } = SEALED_PLACES[place];
        const update = connection.statement(`update ${table} set ${column} = ? where ${column} = ?`);
        replaced += Number(update.run(to, from).changes);
      }
      return replaced;
    },
    switchSecret(fact: string, expected: string, check: string): 'switched' | 'changed' {
      if (!replaceFact(fact, expected, check)) return 'changed';
      logChange(connection, 'secret', null);
      return 'switched';
    },
  };
}
