import type { CatalogItem, DraftChange, DraftEdit, DraftName, DraftRecord, DraftStore } from '../port.ts';
import { type ItemRow, PAGE, readItems } from './catalog-item.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';
import { addSources } from './text-states.ts';

/** As many edits as someone may want to undo. */
const EDITS_KEPT = 100;

type DraftRow = Record<'version' | 'base_revision' | 'created_at' | 'updated_at', number> &
  Record<'languages' | 'created_by' | 'updated_by' | 'authors', string> & { draft_id: Uint8Array };

export function draftReads(connection: Connection): Omit<DraftStore, 'save' | 'discard'> {
  const { statement, value, snapshot } = connection;
  const find = (appId: number): DraftRecord | undefined => {
    const row = statement<DraftRow>('select * from catalog_drafts where app_id = ?').get(appId);
    return row && toRecord(row);
  };
  return {
    async look(appId) {
      return snapshot(() => {
        const row = statement<{ revision: number; created_at: number }>(
          'select revision, created_at from catalog_revisions where app_id = ? order by revision desc limit 1',
        ).get(appId);
        return { revision: row?.revision ?? 0, publishedAt: row?.created_at ?? 0, draft: find(appId) };
      });
    },
    async load(appId) {
      const page = statement<ItemRow>(
        `select item_uid, kind, group_uid, key_no, document from catalog_draft_items
         where app_id = ? and item_uid > ? order by item_uid limit ${PAGE}`,
      );
      for (;;) {
        const record = find(appId);
        if (!record) return undefined;
        const items = await readItems((after) => page.all(appId, after));
        // Somebody may have edited it between two pages.
        const now = find(appId);
        if (now?.draftId === record.draftId && now.version === record.version) return { ...record, items };
      }
    },
    async edits(appId, draftId, after) {
      const rows = statement<Omit<DraftEdit, 'spent'> & { spent: number }>(
        `select e.version, e.kind, e.author, e.at, e.difference, e.spent
         from catalog_draft_edits e join catalog_drafts d on d.app_id = e.app_id
         where e.app_id = ? and d.draft_id = ? and e.version > ? order by e.version desc`,
      ).all(appId, toBytes(draftId), after);
      return rows.map((row) => ({ ...row, spent: row.spent === 1 }));
    },
    async inverse(appId, { draftId, version }) {
      return value(
        `select e.inverse from catalog_draft_edits e join catalog_drafts d on d.app_id = e.app_id
         where e.app_id = ? and d.draft_id = ? and e.version = ?`,
        ...[appId, toBytes(draftId), version],
      );
    },
  };
}

function toRecord(row: DraftRow): DraftRecord {
  return {
    draftId: toUuid(row.draft_id),
    version: row.version,
    baseRevision: row.base_revision,
    languages: row.languages,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedBy: row.updated_by,
    updatedAt: row.updated_at,
    authors: JSON.parse(row.authors),
  };
}

/** Its items and edits go with it. */
export function deleteDraft({ statement }: Connection, appId: number, { draftId, version }: DraftName): boolean {
  const { changes } = statement('delete from catalog_drafts where app_id = ? and draft_id = ? and version = ?').run(
    appId,
    toBytes(draftId),
    version,
  );
  return changes === 1;
}

export function draftActs(connection: Connection) {
  const { statement } = connection;
  return {
    saveDraft(change: DraftChange): 'saved' | 'conflict' | 'application-gone' {
      const { appId, draft, items, removed, edit, spends, sources = [] } = change;
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      if (!writeDraft(connection, appId, draft)) return 'conflict';
      for (const item of items) writeItem(connection, appId, item);
      for (const uid of removed) {
        statement('delete from catalog_draft_items where app_id = ? and item_uid = ?').run(appId, toBytes(uid));
      }
      addSources(connection, appId, sources);
      // After a new edit, undone ones cannot be redone.
      if (edit.kind === 'edit') {
        statement(`update catalog_draft_edits set spent = 1 where app_id = ? and kind = 'undo'`).run(appId);
      }
      if (spends !== undefined) {
        statement('update catalog_draft_edits set spent = 1 where app_id = ? and version = ?').run(appId, spends);
      }
      statement(
        `insert into catalog_draft_edits (app_id, version, kind, author, at, difference, inverse, spent)
         values (?, ?, ?, ?, ?, ?, ?, 0)`,
      ).run(appId, draft.version, edit.kind, draft.updatedBy, draft.updatedAt, edit.difference, edit.inverse);
      // What was undone or redone since does not count among those that can be.
      statement(
        `delete from catalog_draft_edits where app_id = ?1 and (
           (spent = 1 and version <= ?2) or (spent = 0 and version not in (
             select version from catalog_draft_edits where app_id = ?1 and spent = 0 order by version desc limit ?3)))`,
      ).run(appId, draft.version - EDITS_KEPT, EDITS_KEPT);
      return 'saved';
    },
    discardDraft(appId: number, draft: DraftName): 'discarded' | 'conflict' {
      return deleteDraft(connection, appId, draft) ? 'discarded' : 'conflict';
    },
  };
}

function writeDraft({ statement }: Connection, appId: number, draft: DraftRecord): boolean {
  const { draftId, version, baseRevision, languages, createdBy, createdAt, updatedBy, updatedAt } = draft;
  const id = toBytes(draftId);
  const authors = JSON.stringify(draft.authors);
  if (version > 1) {
    const { changes } = statement(
      `update catalog_drafts set version = ?, languages = ?, updated_by = ?, updated_at = ?, authors = ?
       where app_id = ? and draft_id = ? and version = ?`,
    ).run(version, languages, updatedBy, updatedAt, authors, appId, id, version - 1);
    return changes === 1;
  }
  // Begun from the newest revision, or it would undo what that one did.
  const { changes } = statement(
    `insert into catalog_drafts
       (app_id, draft_id, version, base_revision, languages, created_by, created_at, updated_by, updated_at, authors)
     select ?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9
     where ?3 = (select coalesce(max(revision), 0) from catalog_revisions where app_id = ?1)
     on conflict do nothing`,
  ).run(appId, id, baseRevision, languages, createdBy, createdAt, updatedBy, updatedAt, authors);
  return changes === 1;
}

function writeItem({ statement }: Connection, appId: number, item: CatalogItem): void {
  statement(
    `insert into catalog_draft_items (app_id, item_uid, kind, group_uid, key_no, document) values (?, ?, ?, ?, ?, ?)
     on conflict do update set group_uid = excluded.group_uid, document = excluded.document`,
  ).run(
    appId,
    toBytes(item.itemUid),
    item.kind,
    item.groupUid === null ? null : toBytes(item.groupUid),
    item.keyNo,
    item.document,
  );
}
