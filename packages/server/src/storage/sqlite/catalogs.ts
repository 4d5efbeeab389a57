import { setImmediate as nextTurn } from 'node:timers/promises';
import { addSources, deleteDraft } from '../common/drafts.ts';
import { publishedData } from '../event-rows.ts';
import type { CatalogItem, CatalogStore, Publication, RevisionRecord, StoredCatalog } from '../port.ts';
import { logChange } from './changes.ts';
import { queryOn } from './common.ts';
import type { Connection } from './connection.ts';
import { addEvent } from './events.ts';
import { toBytes, toUuid } from './rows.ts';

const newest = ({ value }: Connection, appId: number): number =>
  value<number | null>('select max(revision) as revision from catalog_revisions where app_id = ?', appId) ?? 0;

export function catalogReads(connection: Connection): Pick<CatalogStore, 'load' | 'loadAt' | 'revisions'> {
  const { statement, value, snapshot } = connection;

  const look = (appId: number, revision: number) =>
    statement<{ languages: string; created_at: number }>(
      'select languages, created_at from catalog_revisions where app_id = ? and revision = ?',
    ).get(appId, revision);
  /** In pages, because reads run on the HTTP thread. A revision does not change meanwhile; it can only be deleted. */
  const loadAt = async (appId: number, revision: number): Promise<StoredCatalog | undefined> => {
    const row = look(appId, revision);
    if (!row) return undefined;
    const page = statement<ItemRow>(
      `select item_uid, kind, group_uid, key_no, document from catalog_items
       where app_id = ?1 and item_uid > ?3 and from_revision <= ?2 and (until_revision is null or until_revision > ?2)
       order by item_uid limit ${PAGE}`,
    );
    const items = await readItems((after) => page.all(appId, revision, after));
    const now = look(appId, revision);
    if (now?.created_at !== row.created_at) return now && loadAt(appId, revision);
    return { revision, languages: row.languages, items };
  };

  return {
    async load(appId) {
      return (await loadAt(appId, newest(connection, appId))) ?? { revision: 0, languages: '[]', items: [] };
    },
    loadAt,
    async revisions(appId, { offset, limit }) {
      return snapshot(() => {
        const items = statement<Omit<RevisionRecord, 'authors' | 'note'> & { authors: string; note: string | null }>(
          `select revision, created_at as createdAt, author, authors, difference, note from catalog_revisions
           where app_id = ? order by revision desc limit ? offset ?`,
        )
          .all(appId, limit, offset)
          .map(({ note, authors, ...row }) => ({
            ...row,
            authors: JSON.parse(authors),
            ...(note !== null && { note }),
          }));
        return { total: value('select count(*) as n from catalog_revisions where app_id = ?', appId), items };
      });
    },
  };
}

export function catalogActs(connection: Connection) {
  const { statement } = connection;
  const query = queryOn(connection);
  return {
    async publishCatalog(publication: Publication): Promise<'published' | 'conflict' | 'application-gone'> {
      const { appId, revision, createdAt, author, authors, difference, languages, items, note } = publication;
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      if (newest(connection, appId) + 1 !== revision) return 'conflict';
      if (publication.draft && !(await deleteDraft(query, appId, publication.draft))) return 'conflict';
      statement(
        `insert into catalog_revisions (app_id, revision, created_at, author, authors, difference, languages, note)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(appId, revision, createdAt, author, JSON.stringify(authors), difference, languages, note ?? null);
      for (const item of items) {
        statement(
          'update catalog_items set until_revision = ? where app_id = ? and item_uid = ? and until_revision is null',
        ).run(revision, appId, toBytes(item.itemUid));
        statement(
          `insert into catalog_items (app_id, item_uid, from_revision, kind, group_uid, key_no, document)
           values (?, ?, ?, ?, ?, ?, ?)`,
        ).run(
          appId,
          toBytes(item.itemUid),
          revision,
          item.kind,
          item.groupUid === null ? null : toBytes(item.groupUid),
          item.keyNo,
          item.document,
        );
      }
      await addSources(query, appId, publication.sources ?? []);
      const data = publishedData(publication);
      addEvent(connection, { appId, type: 'catalog.published', at: createdAt, revision, data });
      logChange(connection, 'catalog', appId);
      return 'published';
    },
  };
}

/** Rows read per turn of the event loop: a few milliseconds. */
const PAGE = 500;

type ItemRow = Pick<CatalogItem, 'kind' | 'document'> & {
  item_uid: Uint8Array;
  group_uid: Uint8Array | null;
  key_no: number | null;
};

const FIRST = new Uint8Array();

/** All pages of items, ordered by id. */
async function readItems(readPage: (after: Uint8Array) => ItemRow[]): Promise<CatalogItem[]> {
  const items: CatalogItem[] = [];
  for (let after: Uint8Array = FIRST; ; ) {
    const rows = readPage(after);
    for (const row of rows) items.push(toItem(row));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return items;
    after = last.item_uid;
    await nextTurn();
  }
}

function toItem({ item_uid, kind, group_uid, key_no: keyNo, document }: ItemRow): CatalogItem {
  const groupUid = group_uid === null ? null : toUuid(group_uid);
  return { itemUid: toUuid(item_uid), kind, groupUid, keyNo, document };
}
