import pg from 'pg';
import { type Connections, type SharedRow, type SharedStatement, type Statement, statement } from '../connections.ts';
import { LOCK_MS } from '../servers.ts';
import { type Homes, schemaOf } from './homes.ts';

type JsonRow = { row: object };

/** Runs a statement on the node of a home; see RUN in distribute.ts. Citus needs the table to find the node. */
const onNode = (home: number, call: string): string =>
  `select innkeeper_run(${call}) as row from ${schemaOf(home)}.guard`;

/** Acts in one home: each is one task for Citus, and an ordinary statement on the node. */
export function homeConnections(
  homes: Homes,
  home: number,
  connections: Connections,
  isTransaction: boolean,
): Connections {
  const shard = homes.shard(home, 'guard');
  const runFor = (lockMs: number): Statement =>
    statement(onNode(home, `${shard}, $1, $2, $3::json, null, '${lockMs}'`));
  // A long act, or one over several homes, may wait for locks until its statement timeout; others share connections.
  const runToTheEnd = runFor(0);
  const run = isTransaction ? runToTheEnd : runFor(LOCK_MS);
  const runInTurn = statement(onNode(home, `${shard}, $1, $2, $3::json, $4, null`));
  const shared = new Map<SharedStatement, SharedStatement>();

  const rowsOf = async <Row>(sent: Promise<JsonRow[]>): Promise<Row[]> => (await sent).map(({ row }) => row as Row);
  const valuesOf = (text: string, values: unknown[] = []): string[] => {
    const { name, text: local } = homes.localised(home, text);
    return [name, local, JSON.stringify(values.map(toText))];
  };
  const shareable = ({ text }: Statement): Statement => {
    const { name, text: local } = homes.localised(home, text);
    const call = `${shard}, '${name}', ${pg.escapeLiteral(local)}, json_build_array($1::text), $2::text, null`;
    return statement(
      `select row, (row ->> 'no')::integer as no, (row ->> 'locked')::boolean as locked from (${onNode(home, call)}) acts`,
    );
  };

  return {
    read: ({ text }, values) => rowsOf(connections.read<JsonRow>(run, valuesOf(text, values))),
    write: ({ text }, values) => rowsOf(connections.write<JsonRow>(run, valuesOf(text, values))),
    writeInTurn({ name, text }, values, keys) {
      const named = keys.map((key) => `${name} ${key}`);
      return rowsOf(connections.writeInTurn<JsonRow>(runInTurn, valuesOf(text, values), named));
    },
    writeWithOthers(given, act, keys) {
      let here = shared.get(given);
      if (!here) {
        const together = shareable(given.together);
        here = { together, alone: given.alone === given.together ? together : shareable(given.alone) };
        shared.set(given, here);
      }
      return rowsOf(connections.writeWithOthers<JsonRow & SharedRow>(here, act, keys));
    },
    transaction: (work, statementMs, signal) =>
      connections.transaction(
        (query) => {
          let claimed = false;
          return work(async (text, values) => {
            if (/^set /.test(text)) {
              // Applies to the whole transaction and must come first: Citus passes it on to the nodes.
              claimed ||= text.includes('read only');
              return query(text);
            }
            if (!claimed) await query(claim(home));
            claimed = true;
            const { text: sent } = statementMs === undefined ? run : runToTheEnd;
            return rowsOf(query<JsonRow>(sent, valuesOf(text, values)));
          });
        },
        statementMs,
        signal,
      ),
  };
}

/**
 * Writes nothing, but tells Citus that the transaction writes on the node, so that it uses two-phase commit for several
 * nodes.
 */
export const claim = (home: number): string => `delete from ${schemaOf(home)}.guard where only_row = 0`;

/** As text for PostgreSQL. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (Array.isArray(value)) {
    const items = value.map((item) => `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`);
    return `{${items.join()}}`;
  }
  return String(value);
}
