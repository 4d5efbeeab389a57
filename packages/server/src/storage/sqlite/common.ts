import type { SQLInputValue } from 'node:sqlite';
import type { Query } from '../common/store.ts';
import { performCommonAct } from '../common/stores.ts';
import type { ActCall, Change } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './rows.ts';

/** `uuids`: the parameters bound as bytes. `columns`: of its rows, once it has run. */
type Translated = { sql: string; uuids: ReadonlySet<number>; columns?: readonly string[] };

const translations = new Map<string, Translated>();

/** Hashes are longer. */
const UUID_BYTES = 16;

/** Runs synchronously on this thread; inside an act, nothing else runs before the commit. */
export function queryOn({ rows }: Connection): Query {
  return async <Row extends object>(text: string, values: unknown[] = []) => {
    const translated = translate(text);
    const { sql, uuids } = translated;
    const statement = rows<unknown[]>(sql);
    const bound = values.map((value, index): SQLInputValue => {
      if (value === null || value === undefined) return null;
      if (uuids.has(index + 1)) return toBytes(value as string);
      return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
    });
    // As arrays: objects from SQLite take twice as long.
    const found = statement.all(...bound);
    if (found.length === 0) return [];
    translated.columns ??= statement.columns().map(({ name }) => name);
    return found.map((row) => toObject(translated.columns as readonly string[], row) as Row);
  };
}

function toObject(columns: readonly string[], row: readonly unknown[]): object {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) {
    const value = row[index];
    const isUuid = value instanceof Uint8Array && value.length === UUID_BYTES;
    object[columns[index] as string] = isUuid ? toUuid(value) : value;
  }
  return object;
}

/** Translates PostgreSQL's dialect, as far as common stores use it. */
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
      // Text is compared by bytes.
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
