import type { CatalogNames } from '../../api/catalog-names.ts';
import { toCsv } from '../../shell/csv.ts';

/** A line of an export. A profile without a user has no selections. */
type Line = {
  clientUserId?: string;
  clientUserName?: string;
  status?: string;
  created_at?: string;
  profileOnly?: boolean;
  options?: { group: string; key: string; option_key_uid?: string; value: unknown[] }[];
};

const ROWS_PER_PART = 1000;

/** Users for a spreadsheet: a row each, with a column for every key that at least one of them chose. */
export function createUsersTable(names: CatalogNames) {
  const rows: { fixed: string[]; chosen: ReadonlyMap<string, string> }[] = [];
  const used = new Set<string>();
  return {
    add({ clientUserId = '', clientUserName = '', status = 'active', created_at = '', ...line }: Line) {
      if (line.profileOnly) return;
      const chosen = new Map<string, string>();
      for (const { group, key, option_key_uid: uid, value } of line.options ?? []) {
        // The UID is there if another key has the same name.
        chosen.set(`${group}.${key}${uid === undefined ? '' : ` (${uid})`}`, value.map(String).join('; '));
      }
      for (const key of chosen.keys()) used.add(key);
      rows.push({ fixed: [clientUserId, clientUserName, status, created_at], chosen });
    },
    /** The file, in parts: one text of millions of users would be too long. */
    parts(): string[] {
      const ofCatalog = names.groups.flatMap(({ keys }) => keys.map(({ groupName, name }) => `${groupName}.${name}`));
      const columns = [...new Set([...ofCatalog, ...used])].filter((key) => used.has(key));
      const parts = [`\uFEFF${toCsv([['id', 'name', 'status', 'created', ...columns]])}`];
      for (let from = 0; from < rows.length; from += ROWS_PER_PART) {
        const some = rows.slice(from, from + ROWS_PER_PART);
        parts.push(
          toCsv(some.map(({ fixed, chosen }) => [...fixed, ...columns.map((key) => chosen.get(key) ?? null)])),
        );
      }
      return parts;
    },
  };
}
