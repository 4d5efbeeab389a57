import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Review, TextSource, TextState, TextStateStore } from '../port.ts';
import type { Connection } from './connection.ts';

const PAGE = 2000;

export function textStateReads({ rows }: Connection): Pick<TextStateStore, 'list'> {
  return {
    async list(appId) {
      const states: TextState[] = [];
      // In pages, as reads run on the thread that answers.
      for (let after = ''; ; await nextTurn()) {
        const page = rows<[textKey: string, sourceKey: string, reviewed: number]>(
          `select text_key, source_key, reviewed from text_states where app_id = ? and text_key > ? order by text_key limit ${PAGE}`,
        ).all(appId, after);
        for (const [textKey, sourceKey, reviewed] of page)
          states.push({ textKey, sourceKey, reviewed: reviewed === 1 });
        if (page.length < PAGE) return states;
        after = states.at(-1)?.textKey as string;
      }
    },
  };
}

export function textStateActs({ statement }: Connection) {
  return {
    reviewTexts({ appId, texts, reviewed }: Review): 'reviewed' | 'application-gone' {
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      const write = statement(
        `insert into text_states (app_id, text_key, source_key, reviewed) values (?, ?, ?, ?)
         on conflict do update set source_key = excluded.source_key, reviewed = excluded.reviewed`,
      );
      for (const { textKey, sourceKey } of texts) write.run(appId, textKey, sourceKey, reviewed ? 1 : 0);
      return 'reviewed';
    },
  };
}

export function addSources({ statement }: Connection, appId: number, sources: readonly TextSource[]): void {
  const add = statement(
    'insert into text_states (app_id, text_key, source_key, reviewed) values (?, ?, ?, 0) on conflict do nothing',
  );
  for (const { textKey, sourceKey } of sources) add.run(appId, textKey, sourceKey);
}
