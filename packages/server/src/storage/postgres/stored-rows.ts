import type { RowPages, StoredRow, TableShape } from '../port.ts';
import type { Query } from './transactions.ts';

/** Rows a statement reads or writes. */
export const PAGE = 250;

/** PostgreSQL type names by table and column. */
export type ColumnTypes = Map<string, string>;

/** `schema`: also of the tables that only this one has. Null for none: PostgreSQL 15 and earlier fail on an empty name. */
export async function columnTypes(query: Query, schema: string | null = null): Promise<ColumnTypes> {
  const rows = await query<{ name: string; type: string }>(
    `
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, null) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where (pg_table_is_visible(c.oid) or c.relnamespace = to_regnamespace($1))
      and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  `,
    [schema],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

export function rowPages(query: Query, types: ColumnTypes): RowPages {
  return async function* (table) {
    const { name } = table;
    await query(
      `declare page_rows no scroll cursor for ${selectRows(table, types, `"${name}"`)} order by ${keyOf(table, types)}`,
    );
    for (;;) {
      const rows = await query<NamedRow>(`fetch ${PAGE} from page_rows`);
      if (rows.length > 0) yield rows.map((row) => toRow(table, row));
      if (rows.length < PAGE) break;
    }
    await query('close page_rows');
  };
}

export type NamedRow = Record<string, StoredRow[number]>;

export function toRow({ columns }: TableShape, row: NamedRow): StoredRow {
  return columns.map((column) => row[column] ?? null);
}

export function selectRows(table: TableShape, types: ColumnTypes, from: string): string {
  const selected = table.columns.map(
    (column) => `${toStored(`t."${column}"`, typeOf(types, table, column))} as "${column}"`,
  );
  return `select ${selected} from ${from} t`;
}

/** To sort by. */
export function keyOf(table: TableShape, types: ColumnTypes): string[] {
  return table.key.map((column) => `t."${column}"${typeOf(types, table, column) === 'text' ? ' collate "C"' : ''}`);
}

/** The key of a row as a statement's parameters. */
export function keyParameters(table: TableShape, types: ColumnTypes): string[] {
  return table.key.map((column, index) => {
    const type = typeOf(types, table, column);
    return fromStored(`$${index + 1}::${STORED_AS[type] ?? type}`, type);
  });
}

/** One array per column, so that one statement inserts any number of rows. `where` names them `given`. */
export function insertStatement(
  table: TableShape,
  types: ColumnTypes,
  into = `"${table.name}"`,
  where: (given: (column: string) => string) => string = () => 'true',
): string {
  const typesGiven = table.columns.map((column) => typeOf(types, table, column));
  const arrays = typesGiven.map((type, index) => `$${index + 1}::${STORED_AS[type] ?? type}[]`);
  const values = typesGiven.map((type, index) => fromStored(`c${index}`, type));
  const columns = table.columns.map((column) => `"${column}"`);
  const named = values.map((_, index) => `c${index}`);
  const condition = where((column) => values[table.columns.indexOf(column)] as string);
  return `insert into ${into} (${columns}) select ${values} from unnest(${arrays}) as given (${named}) where ${condition}`;
}

export function asArrays({ columns }: TableShape, rows: readonly StoredRow[]): unknown[] {
  return columns.map((_, column) => rows.map((row) => row[column]));
}

/** Types that differ from SQLite's. */
const STORED_AS: Record<string, string> = { uuid: 'bytea', boolean: 'integer' };

function toStored(value: string, type: string): string {
  if (type === 'uuid') return `uuid_send(${value})`;
  return type === 'boolean' ? `${value}::integer` : value;
}

function fromStored(value: string, type: string): string {
  if (type === 'uuid') return `encode(${value}, 'hex')::uuid`;
  return type === 'boolean' ? `${value}::boolean` : value;
}

function typeOf(types: ColumnTypes, table: TableShape, column: string): string {
  const type = types.get(`${table.name}.${column}`);
  if (type === undefined) throw new Error(`PostgreSQL has no column ${table.name}.${column}: the two schemas differ.`);
  return type;
}
