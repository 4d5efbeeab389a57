import type { SQLInputValue } from 'node:sqlite';
import type { Query } from '../common/store.ts';
import { performCommonAct } from '../common/stores.ts';
import type { ActCall, Change } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';

/** `uuids`: the numbers of parameters that are bound as bytes. */
type Translated = { sql: string; uuids: ReadonlySet<number> };

const translations = new Map<string, Translated>();

/** Hashes have more. */
const UUID_BYTES = 16;

/** Runs at once, on this thread; in an act, nothing else gets a turn before the commit. */
export function queryOn({ statement }: Connection): Query {
  return async <Row extends object>(text: string, values: unknown[] = []) => {
    const { sql, uuids } = translate(text);
    const bound = values.map((value, index): SQLInputValue => {
      if (value === null || value === undefined) return null;
      if (uuids.has(index + 1)) return toBytes(value as string);
      return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
    });
    const rows = statement<Record<string, unknown>>(sql).all(...bound);
    for (const row of rows) {
      for (const name in row) {
        const value = row[name];
        if (value instanceof Uint8Array && value.length === UUID_BYTES) row[name] = toUuid(value);
      }
    }
    return rows as Row[];
  };
}

/** From PostgreSQL's dialect, as far as common stores use it. */
function translate(text: string): Translated {
  let translated = translations.get(text);
  if (!translated) {
    const uuids = new Set<number>();
    const sql = text
      .replace(/json_to_recordset\((\$\d+)::json\)\s+as (\w+) \(([^)]*)\)/g, readJson)
      .replace(/\$(\d+)(?:::(\w+))?/g, (_, no: string, type?: string) => {
        if (type === 'uuid') uuids.add(Number(no));
        return `?${no}`;
      })
      .replace(/::\w+/g, '')
      // Only one transaction writes at a time.
      .replace(/\bfor (?:no key update|update|key share|share)(?: skip locked)?\b/g, '')
      // Texts are compared by their bytes.
      .replaceAll('collate "C"', '')
      .replace(/\/\* sqlite: ([^*]*) \*\//g, '$1');
    translated = { sql, uuids };
    translations.set(text, translated);
  }
  return translated;
}

function readJson(_: string, parameter: string, alias: string, columns: string): string {
  const read = columns.split(',').map((column) => {
    const [name = '', type] = column.replaceAll('"', '').trim().split(' ');
    const value = `value ->> '${name}'`;
    return `${type === 'uuid' ? `unhex(${value}, '-')` : value} as "${name}"`;
  });
  return `(select ${read.join(', ')} from json_each(${parameter})) as ${alias}`;
}

export function commonActs(connection: Connection) {
  const act = {
    query: queryOn(connection),
    async logChange(subject: Change['subject'], appId: number | null) {
      logChange(connection, subject, appId);
    },
  };
  return { performCommonAct: (call: ActCall): Promise<unknown> => performCommonAct(act, call) };
}
