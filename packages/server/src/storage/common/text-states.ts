import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TextSource, TextState, TextStateStore } from '../port.ts';
import { lockApplication } from './locks.ts';
import type { CommonStore, Query } from './store.ts';

/** Rows that SQLite reads in one turn of the event loop, as it reads on the thread that answers. */
const PAGE = 2000;

const insert = (onConflict: string): string => `
  insert into text_states (app_id, text_key, source_key, reviewed)
  select $1::bigint, "textKey", "sourceKey", $3::boolean
  from json_to_recordset($2::json) as given ("textKey" text, "sourceKey" text) where true
  on conflict (app_id, text_key) do ${onConflict}
`;
const ADD = insert('nothing');
const REVIEW = insert('update set source_key = excluded.source_key, reviewed = excluded.reviewed');

export const textStates: CommonStore<TextStateStore, 'list'> = {
  reads: {
    async list(query, appId) {
      const states: TextState[] = [];
      for (let after = ''; ; await nextTurn()) {
        const page = await query<TextState>(
          `select text_key as "textKey", source_key as "sourceKey", reviewed from text_states
           where app_id = $1 and text_key > $2 order by text_key limit ${PAGE}`,
          [appId, after],
        );
        for (const { textKey, sourceKey, reviewed } of page) {
          states.push({ textKey, sourceKey, reviewed: Boolean(reviewed) });
        }
        if (page.length < PAGE) return states;
        after = states.at(-1)?.textKey as string;
      }
    },
  },
  acts: {
    async review({ query }, { appId, texts, reviewed }) {
      // As publishing and saving a draft do: one after the other.
      if (!(await lockApplication(query, appId))) return 'application-gone';
      await query(REVIEW, [appId, JSON.stringify(texts), reviewed]);
      return 'reviewed';
    },
  },
};

export async function addSources(query: Query, appId: number, sources: readonly TextSource[]): Promise<void> {
  if (sources.length > 0) await query(ADD, [appId, JSON.stringify(sources), false]);
}
