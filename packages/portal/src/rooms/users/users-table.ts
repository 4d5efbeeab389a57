import type { OutputOf } from '@innkeeper/client/manage';
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

/** Everything about one user. */
export type ExportedUser = OutputOf<'/manage/v1/applications/{clientId}/users/{userUid}/export', 'get'>;

const ROWS_PER_PART = 1000;

/** Users for a spreadsheet: a row each, with a column for every key that at least one of them chose. */
export function createUsersTable(names: CatalogNames) {
  const rows: { fixed: string[]; chosen: ReadonlyMap<string, string> }[] = [];
  const used = new Set<string>();
  const keys = names.groups.flatMap((group) => group.keys);
  const add = ({ clientUserId = '', clientUserName = '', status = 'active', created_at = '', ...line }: Line) => {
    if (line.profileOnly) return;
    const chosen = new Map<string, string>();
    for (const { group, key, option_key_uid: uid, value } of line.options ?? []) {
      // The UID is there if another key has the same name.
      chosen.set(`${group}.${key}${uid === undefined ? '' : ` (${uid})`}`, value.map(String).join('; '));
    }
    for (const key of chosen.keys()) used.add(key);
    // Lines for import have milliseconds.
    rows.push({
      fixed: [clientUserId, clientUserName, status, created_at.slice(0, 'YYYY-MM-DD HH:MM:SS'.length)],
      chosen,
    });
  };
  return {
    add,
    addExported({ user: { createdAt, ...user }, options }: ExportedUser) {
      const isShared = (group: string, key: string) =>
        keys.filter(({ groupName, name }) => groupName === group && name === key).length > 1;
      add({
        ...user,
        created_at: createdAt,
        options: options.map(({ groupName: group, keyName: key, keyUid, value }) => ({
          group,
          key,
          ...(isShared(group, key) && { option_key_uid: keyUid }),
          value: [value].flat(),
        })),
      });
    },
    /** The file, in parts: one text of millions of users would be too long. */
    parts(): string[] {
      const ofCatalog = keys.map(({ groupName, name }) => `${groupName}.${name}`);
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
