import type { TextSource, TextState, TextStateStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import type { Query } from './transactions.ts';

const LIST = statement(
  'select text_key as "textKey", source_key as "sourceKey", reviewed from text_states where app_id = $1',
);

const insert = (onConflict: string): string => `
  insert into text_states (app_id, text_key, source_key, reviewed)
  select $1::bigint, "textKey", "sourceKey", $3::boolean
  from json_to_recordset($2::json) as given ("textKey" text, "sourceKey" text)
  on conflict (app_id, text_key) do ${onConflict}
`;
const ADD = insert('nothing');
const REVIEW = insert('update set source_key = excluded.source_key, reviewed = excluded.reviewed');

export function textStateStore(connections: Connections): TextStateStore {
  return {
    list: (appId) => connections.read<TextState>(LIST, [appId]),
    review: ({ appId, texts, reviewed }) =>
      connections.transaction(async (query) => {
        // As publishing and saving a draft do: one after the other.
        const found = await query('select app_id from applications where app_id = $1 for no key update', [appId]);
        if (found.length === 0) return 'application-gone';
        await query(REVIEW, [appId, JSON.stringify(texts), reviewed]);
        return 'reviewed';
      }),
  };
}

export async function addSources(query: Query, appId: number, sources: readonly TextSource[]): Promise<void> {
  if (sources.length > 0) await query(ADD, [appId, JSON.stringify(sources), false]);
}
