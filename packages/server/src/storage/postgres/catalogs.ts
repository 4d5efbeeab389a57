import { addSources, deleteDraft } from '../common/drafts.ts';
import { lockApplication } from '../common/store.ts';
import { publishedData, typeNumber } from '../event-rows.ts';
import type { CatalogItem, CatalogStore, RevisionRecord, StoredCatalog } from '../port.ts';
import { logChange } from './changes.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';
import { keepsEvents } from './events.ts';

/** Publishing writes thousands of items in one statement. */
export const PUBLISH_MS = 60_000;

// One statement, so that revision and items are consistent. The first row is the revision, the others are its items.
const catalogOf = (revision: string): string => `
  with chosen as (
    select revision, languages from catalog_revisions where app_id = $1 ${revision}
  )
  select revision, languages, null as item_uid, null as kind, null as group_uid, null as key_no, null as document
  from chosen
  union all
  select null, null, i.item_uid, i.kind, i.group_uid, i.key_no, i.document
  from chosen c join catalog_items i on i.app_id = $1
    and i.from_revision <= c.revision and (i.until_revision is null or i.until_revision > c.revision)
`;
const LOAD = statement(catalogOf('order by revision desc limit 1'));
const LOAD_AT = statement(catalogOf('and revision = $2'));

const REVISIONS = statement(`
  with page as (
    select revision, created_at, author, authors, difference, note from catalog_revisions
    where app_id = $1 order by revision desc limit $2 offset $3
  )
  select counted.total, page.*
  from (select count(*) as total from catalog_revisions where app_id = $1) counted left join page on true
  order by page.revision desc
`);

const ADD_EVENT = `
  insert into events (app_id, type, at, revision, data)
  select $1::bigint, ${typeNumber('catalog.published')}, $2::bigint, $3::integer, $4::text where ${keepsEvents('$1::bigint')}
`;

type LoadedRow =
  | { revision: number; languages: string }
  | ({ revision: null; item_uid: string; group_uid: string | null; key_no: number | null } & Pick<
      CatalogItem,
      'kind' | 'document'
    >);

type RevisionRow = { total: number } & (
  | { revision: null }
  | { revision: number; created_at: number; author: string; authors: string; difference: string; note: string | null }
);

/** Rolls back the new revision. */
class DraftGone extends Error {}

const MAX_REVISION = 2 ** 31 - 1;

export function catalogStore(connections: Connections): CatalogStore {
  return {
    async load(appId) {
      const rows = await connections.read<LoadedRow>(LOAD, [appId]);
      return toCatalog(rows) ?? { revision: 0, languages: '[]', items: [] };
    },

    async loadAt(appId, revision) {
      // PostgreSQL rejects a number that does not fit its integer type.
      if (revision > MAX_REVISION) return undefined;
      return toCatalog(await connections.read<LoadedRow>(LOAD_AT, [appId, revision]));
    },

    async publish(publication) {
      const { appId, revision, createdAt, author, authors, difference, languages, items, draft, note } = publication;
      try {
        return await connections.transaction(async (query) => {
          if (!(await lockApplication(query, appId))) return 'application-gone';
          const added = await query(
            `insert into catalog_revisions (app_id, revision, created_at, author, difference, languages, authors, note)
             select $1::bigint, $2::integer, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::text
             where $2 = (select coalesce(max(revision), 0) + 1 from catalog_revisions where app_id = $1)
             returning revision`,
            [appId, revision, createdAt, author, difference, languages, JSON.stringify(authors), note ?? null],
          );
          if (added.length === 0) return 'conflict';
          if (draft && !(await deleteDraft(query, appId, draft))) throw new DraftGone();
          await query(
            `update catalog_items set until_revision = $2
             where app_id = $1 and item_uid = any ($3::uuid[]) and until_revision is null`,
            [appId, revision, items.map((item) => item.itemUid)],
          );
          // JSON instead of arrays: pg takes 15 times as long to serialize an array of documents.
          await query(
            `insert into catalog_items (app_id, from_revision, item_uid, kind, group_uid, key_no, document)
             select $1::bigint, $2::integer, * from json_to_recordset($3::json)
               as item ("itemUid" uuid, kind text, "groupUid" uuid, "keyNo" integer, document text)`,
            [appId, revision, JSON.stringify(items)],
          );
          await addSources(query, appId, publication.sources ?? []);
          await query(ADD_EVENT, [appId, createdAt, revision, publishedData(publication)]);
          await logChange(query, 'catalog', appId);
          return 'published';
        }, PUBLISH_MS);
      } catch (error) {
        if (error instanceof DraftGone) return 'conflict';
        // Under repeatable read, a revision that another transaction has just added was not visible.
        if (violation(error)?.constraint === 'catalog_revisions_key') return 'conflict';
        throw error;
      }
    },

    async revisions(appId, { offset, limit }) {
      const rows = await connections.read<RevisionRow>(REVISIONS, [appId, limit, offset]);
      const items = rows.flatMap((row): RevisionRecord[] => {
        if (row.revision === null) return [];
        const { revision, created_at: createdAt, author, difference, note } = row;
        const authors = JSON.parse(row.authors) as string[];
        return [{ revision, createdAt, author, authors, difference, ...(note !== null && { note }) }];
      });
      return { total: rows[0]?.total ?? 0, items };
    },
  };
}

function toCatalog(rows: LoadedRow[]): StoredCatalog | undefined {
  let catalog: StoredCatalog | undefined;
  const items: CatalogItem[] = [];
  for (const row of rows) {
    if (row.revision !== null) {
      catalog = { revision: row.revision, languages: row.languages, items };
      continue;
    }
    const { item_uid: itemUid, kind, group_uid: groupUid, key_no: keyNo, document } = row;
    items.push({ itemUid, kind, groupUid, keyNo, document });
  }
  return catalog;
}
