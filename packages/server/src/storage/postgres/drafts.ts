import type { CatalogItem, DraftEdit, DraftName, DraftRecord, DraftStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { addSources } from './text-states.ts';
import type { Query } from './transactions.ts';

/** As many edits as someone may want to undo. */
const EDITS_KEPT = 100;
/** Thousands of items go in one statement. */
const SAVE_MS = 60_000;

const LOOK = statement(`
  select r.revision, r.created_at as published_at, d.*
  from (select 1) one
  left join (
    select revision, created_at from catalog_revisions where app_id = $1 order by revision desc limit 1
  ) r on true
  left join catalog_drafts d on d.app_id = $1
`);
// One statement, so that draft and items are of one moment. Without items there is one row, of nulls.
const LOAD = statement(`
  select d.*, i.item_uid, i.kind, i.group_uid, i.key_no, i.document
  from catalog_drafts d left join catalog_draft_items i on i.app_id = d.app_id
  where d.app_id = $1
`);
const EDITS = statement(`
  select e.version, e.kind, e.author, e.at, e.difference, e.spent
  from catalog_draft_edits e join catalog_drafts d on d.app_id = e.app_id
  where e.app_id = $1 and d.draft_id = $2 and e.version > $3 order by e.version desc
`);
const INVERSE = statement(`
  select e.inverse from catalog_draft_edits e join catalog_drafts d on d.app_id = e.app_id
  where e.app_id = $1 and d.draft_id = $2 and e.version = $3
`);

type DraftRow = {
  draft_id: string;
  version: number;
  base_revision: number;
  languages: string;
  created_by: string;
  created_at: number;
  updated_by: string;
  updated_at: number;
  authors: string;
};
type LookRow = { revision: number | null; published_at: number | null } & (DraftRow | { draft_id: null });
type LoadRow = DraftRow & {
  item_uid: string | null;
  kind: CatalogItem['kind'];
  group_uid: string | null;
  key_no: number | null;
  document: string;
};

export function draftStore(connections: Connections): DraftStore {
  return {
    async look(appId) {
      const [row] = await connections.read<LookRow>(LOOK, [appId]);
      return {
        revision: row?.revision ?? 0,
        publishedAt: row?.published_at ?? 0,
        draft: row && row.draft_id !== null ? toRecord(row) : undefined,
      };
    },

    async load(appId) {
      const rows = await connections.read<LoadRow>(LOAD, [appId]);
      const [first] = rows;
      if (!first) return undefined;
      const items = rows.flatMap(({ item_uid: itemUid, kind, group_uid: groupUid, key_no: keyNo, document }) =>
        itemUid === null ? [] : [{ itemUid, kind, groupUid, keyNo, document }],
      );
      return { ...toRecord(first), items };
    },

    save({ appId, draft, items, removed, edit, spends, sources = [] }) {
      return connections.transaction(async (query) => {
        // As publishing does: a draft is begun from the newest revision, and that must still be it afterwards.
        const found = await query('select app_id from applications where app_id = $1 for no key update', [appId]);
        if (found.length === 0) return 'application-gone';
        if (!(await writeDraft(query, appId, draft))) return 'conflict';
        await query(
          `insert into catalog_draft_items (app_id, item_uid, kind, group_uid, key_no, document)
           select $1::bigint, * from json_to_recordset($2::json)
             as item ("itemUid" uuid, kind text, "groupUid" uuid, "keyNo" integer, document text)
           on conflict (app_id, item_uid) do update set group_uid = excluded.group_uid, document = excluded.document`,
          [appId, JSON.stringify(items)],
        );
        if (removed.length > 0) {
          await query('delete from catalog_draft_items where app_id = $1 and item_uid = any ($2::uuid[])', [
            appId,
            removed,
          ]);
        }
        await addSources(query, appId, sources);
        // After a new edit, undone ones cannot be redone.
        await query(
          `update catalog_draft_edits set spent = true
           where app_id = $1 and (version = $2::integer or ($3 = 'edit' and kind = 'undo'))`,
          [appId, spends ?? null, edit.kind],
        );
        await query(
          `insert into catalog_draft_edits (app_id, version, kind, author, at, difference, inverse, spent)
           values ($1, $2, $3, $4, $5, $6, $7, false)`,
          [appId, draft.version, edit.kind, draft.updatedBy, draft.updatedAt, edit.difference, edit.inverse],
        );
        // What was undone or redone since does not count among those that can be.
        await query(
          `delete from catalog_draft_edits where app_id = $1 and (
             (spent and version <= $2) or (not spent and version not in (
               select version from catalog_draft_edits where app_id = $1 and not spent order by version desc limit $3)))`,
          [appId, draft.version - EDITS_KEPT, EDITS_KEPT],
        );
        return 'saved';
      }, SAVE_MS);
    },

    discard: (appId, draft) =>
      connections.transaction(async (query) => ((await deleteDraft(query, appId, draft)) ? 'discarded' : 'conflict')),

    edits: (appId, draftId, after) => connections.read<DraftEdit>(EDITS, [appId, draftId, after]),

    async inverse(appId, { draftId, version }) {
      const [row] = await connections.read<{ inverse: string }>(INVERSE, [appId, draftId, version]);
      return row?.inverse;
    },
  };
}

/** Its items and edits go with it. */
export async function deleteDraft(query: Query, appId: number, { draftId, version }: DraftName): Promise<boolean> {
  const deleted = await query(
    'delete from catalog_drafts where app_id = $1 and draft_id = $2 and version = $3 returning app_id',
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
           where app_id = $1 and draft_id = $2 and version = $3 - 1 returning app_id`,
          [appId, draftId, version, languages, updatedBy, updatedAt, authors],
        )
      : await query(
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
