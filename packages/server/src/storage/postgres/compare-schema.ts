import { isForbidden } from './errors.ts';
import { applyAll } from './migrations.ts';
import type { Query } from './transactions.ts';

const OWN = 'innkeeper_as_new';

/** The schema of our tables. search_path may list another schema first. */
export const OUR_SCHEMA = `coalesce(
  (select relnamespace from pg_class where oid = to_regclass('applications')), to_regnamespace(quote_ident(current_schema()))::oid)`;

// Definitions include the name of their schema, which differs.
const PARTS = `
  select 'table' as kind, c.relname::text as name, '' as definition
  from pg_class c where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p')
  union all
  select 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all
  select 'constraint', n.conname || ' of ' || c.relname, replace(pg_get_constraintdef(n.oid), quote_ident($1::text) || '.', '')
  from pg_constraint n join pg_class c on c.oid = n.conrelid where c.relnamespace = $1::text::regnamespace and n.contype <> 'n'
  union all
  select 'index', c.relname::text, replace(pg_get_indexdef(c.oid), quote_ident($1::text) || '.', '')
  from pg_class c join pg_index i on i.indexrelid = c.oid where c.relnamespace = $1::text::regnamespace and i.indisvalid
`;

type Part = { kind: string; name: string; definition: string };

/**
 * What is missing or different compared with a new database, which is created beside this one in a transaction and
 * rolled back. Undefined if the role may not do that.
 */
export async function compareSchema(query: Query): Promise<string[] | undefined> {
  const [ours] = await query<{ schema: string }>(
    `select nspname::text as schema from pg_namespace where oid = ${OUR_SCHEMA}`,
  );
  const there = await partsOf(query, ours?.schema ?? 'public');
  await query('savepoint as_new');
  try {
    await query(`create schema ${OWN}`);
    await query(`set local search_path to ${OWN}`);
    await applyAll(query);
    const wanted = await partsOf(query, OWN);
    return [...wanted]
      .filter(([id]) => !isPartOfMissing(id, there))
      .flatMap(([id, part]) => differs(part, there.get(id)));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  } finally {
    await query('rollback to savepoint as_new');
  }
}

async function partsOf(query: Query, schema: string): Promise<Map<string, Part>> {
  const parts = await query<Part>(PARTS, [schema]);
  return new Map(parts.map((part) => [`${part.kind} ${part.name}`, part]));
}

/** The columns of a missing table are not reported separately. */
function isPartOfMissing(id: string, there: ReadonlyMap<string, Part>): boolean {
  const table = /^column ([^.]+)\.|^constraint .* of (.+)$/.exec(id);
  const name = table?.[1] ?? table?.[2];
  return name !== undefined && !there.has(`table ${name}`);
}

function differs({ kind, name, definition }: Part, found: Part | undefined): string[] {
  if (!found) return [`${kind} ${name} is missing`];
  return found.definition === definition ? [] : [`${kind} ${name} is "${found.definition}", not "${definition}"`];
}
