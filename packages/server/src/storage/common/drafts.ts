import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  CatalogItem,
  DraftEdit,
  DraftName,
  DraftRecord,
  DraftStore,
  TextSource,
  TextState,
  TextStateStore,
} from '../port.ts';
import { type CommonStore, lockApplication, type Query } from './store.ts';

/** Maximum edits that can be undone. */
const EDITS_KEPT = 100;
/** Items read per turn of the event loop: SQLite reads on the HTTP thread, a few milliseconds each. */
const PAGE = 500;

type DraftRow = Record<'draft_id' | 'languages' | 'created_by' | 'updated_by' | 'authors', string> &
  Record<'version' | 'base_revision' | 'created_at' | 'updated_at', number>;
type LookRow = { revision: number | null; published_at: number | null } & (DraftRow | { draft_id: null });

export const drafts: CommonStore<DraftStore, 'look' | 'load' | 'edits' | 'inverse'> = {
  reads: {
    async look(query, appId) {
      const [row] = await query<LookRow>(
        `select r.revision, r.created_at as published_at, d.* from (select 1 as one) one
         left join (
           select revision, created_at from catalog_revisions where app_id = $1 order by revision desc limit 1
         ) r on true
         left join catalog_drafts d on d.app_id = $1`,
        [appId],
      );
      return {
        revision: row?.revision ?? 0,
        publishedAt: row?.published_at ?? 0,
        draft: row && row.draft_id !== null ? toRecord(row) : undefined,
      };
    },
    async load(query, appId) {
      for (;;) {
        const record = await find(query, appId);
        if (!record) return undefined;
        const items = await readItems(query, appId);
        // It may have been edited in the meantime.
        const now = await find(query, appId);
        if (now?.draftId === record.draftId && now.version === record.version) return { ...record, items };
      }
    },
    async edits(query, appId, draftId, after) {
      const rows = await query<DraftEdit>(
        `select e.version, e.kind, e.author, e.at, e.difference, e.spent
         from catalog_draft_edits e join catalog_drafts d on d.app_id = e.app_id
         where e.app_id = $1 and d.draft_id = $2::uuid and e.version > $3 order by e.version desc`,
        [appId, draftId, after],
      );
      return rows.map((row) => ({ ...row, spent: Boolean(row.spent) }));
    },
    async inverse(query, appId, { draftId, version }) {
      const [row] = await query<{ inverse: string }>(
        `select e.inverse from catalog_draft_edits e join catalog_drafts d on d.app_id = e.app_id
         where e.app_id = $1 and d.draft_id = $2::uuid and e.version = $3`,
        [appId, draftId, version],
      );
      return row?.inverse;
    },
  },
  acts: {
    async save({ query }, { appId, draft, items, removed, edit, spends, sources = [] }) {
      // Publishing locks it too: the revision a draft starts from must still be the newest one.
      if (!(await lockApplication(query, appId))) return 'application-gone';
      if (!(await writeDraft(query, appId, draft))) return 'conflict';
      await query(
        `insert into catalog_draft_items (app_id, item_uid, kind, group_uid, key_no, document)
         select $1::bigint, "itemUid", kind, "groupUid", "keyNo", document from json_to_recordset($2::json)
           as item ("itemUid" uuid, kind text, "groupUid" uuid, "keyNo" integer, document text) where true
         on conflict (app_id, item_uid) do update set group_uid = excluded.group_uid, document = excluded.document`,
        [appId, JSON.stringify(items)],
      );
      await query(
        `delete from catalog_draft_items where app_id = $1 and item_uid in (
           select "itemUid" from json_to_recordset($2::json) as item ("itemUid" uuid))`,
        [appId, JSON.stringify(removed.map((itemUid) => ({ itemUid })))],
      );
      await addSources(query, appId, sources);
      // After a new edit, undone ones cannot be redone.
      await query(
        `update catalog_draft_edits set spent = true
         where app_id = $1 and (version = $2::integer or ($3::text = 'edit' and kind = 'undo'))`,
        [appId, spends, edit.kind],
      );
      await query(
        `insert into catalog_draft_edits (app_id, version, kind, author, at, difference, inverse, spent)
         values ($1, $2, $3, $4, $5, $6, $7, false)`,
        [appId, draft.version, edit.kind, draft.updatedBy, draft.updatedAt, edit.difference, edit.inverse],
      );
      // Edits that were undone or redone do not count.
      await query(
        `delete from catalog_draft_edits where app_id = $1 and (
           (spent and version <= $2) or (not spent and version not in (
             select version from catalog_draft_edits where app_id = $1 and not spent order by version desc limit $3)))`,
        [appId, draft.version - EDITS_KEPT, EDITS_KEPT],
      );
      return 'saved';
    },
    async discard({ query }, appId, draft) {
      return (await deleteDraft(query, appId, draft)) ? 'discarded' : 'conflict';
    },
  },
};

async function find(query: Query, appId: number): Promise<DraftRecord | undefined> {
  const [row] = await query<DraftRow>('select * from catalog_drafts where app_id = $1', [appId]);
  return row && toRecord(row);
}

async function readItems(query: Query, appId: number): Promise<CatalogItem[]> {
  const items: CatalogItem[] = [];
  for (let after: string | undefined; ; await nextTurn()) {
    const page = await query<CatalogItem>(
      `select item_uid as "itemUid", kind, group_uid as "groupUid", key_no as "keyNo", document from catalog_draft_items
       where app_id = $1 ${after === undefined ? '' : 'and item_uid > $2::uuid'} order by item_uid limit ${PAGE}`,
      after === undefined ? [appId] : [appId, after],
    );
    items.push(...page);
    if (page.length < PAGE) return items;
    after = page.at(-1)?.itemUid;
  }
}

/** Also deletes its items and edits. */
export async function deleteDraft(query: Query, appId: number, { draftId, version }: DraftName): Promise<boolean> {
  const deleted = await query(
    'delete from catalog_drafts where app_id = $1 and draft_id = $2::uuid and version = $3 returning app_id',
    [appId, draftId, version],
  );
  return deleted.length === 1;
}

async function writeDraft(query: Query, appId: number, draft: DraftRecord): Promise<boolean> {
  const { draftId, version, baseRevision, languages, createdBy, createdAt, updatedBy, updatedAt } = draft;
  const authors = JSON.stringify(draft.authors);
  const written =
    version > 1
      ? await query(
          `update catalog_drafts set version = $3, languages = $4, updated_by = $5, updated_at = $6, authors = $7
           where app_id = $1 and draft_id = $2::uuid and version = $3 - 1 returning app_id`,
          [appId, draftId, version, languages, updatedBy, updatedAt, authors],
        )
      : // Only from the newest revision: otherwise publishing the draft would undo newer changes.
        await query(
          `insert into catalog_drafts
             (app_id, draft_id, version, base_revision, languages, created_by, created_at, updated_by, updated_at, authors)
           select $1::bigint, $2::uuid, 1, $3::integer, $4::text, $5::text, $6::bigint, $7::text, $8::bigint, $9::text
           where $3 = (select coalesce(max(revision), 0) from catalog_revisions where app_id = $1)
           on conflict do nothing returning app_id`,
          [appId, draftId, baseRevision, languages, createdBy, createdAt, updatedBy, updatedAt, authors],
        );
  return written.length === 1;
}

function toRecord(row: DraftRow): DraftRecord {
  return {
    draftId: row.draft_id,
    version: row.version,
    baseRevision: row.base_revision,
    languages: row.languages,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedBy: row.updated_by,
    updatedAt: row.updated_at,
    authors: JSON.parse(row.authors) as string[],
  };
}

/** Rows read per turn of the event loop: SQLite reads on the HTTP thread. */
const TEXTS_PAGE = 2000;

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
           where app_id = $1 and text_key > $2 order by text_key limit ${TEXTS_PAGE}`,
          [appId, after],
        );
        for (const { textKey, sourceKey, reviewed } of page) {
          states.push({ textKey, sourceKey, reviewed: Boolean(reviewed) });
        }
        if (page.length < TEXTS_PAGE) return states;
        after = states.at(-1)?.textKey as string;
      }
    },
  },
  acts: {
    async review({ query }, { appId, texts, reviewed }) {
      // Publishing and saving a draft take the same lock.
      if (!(await lockApplication(query, appId))) return 'application-gone';
      await query(REVIEW, [appId, JSON.stringify(texts), reviewed]);
      return 'reviewed';
    },
  },
};

export async function addSources(query: Query, appId: number, sources: readonly TextSource[]): Promise<void> {
  if (sources.length > 0) await query(ADD, [appId, JSON.stringify(sources), false]);
}
