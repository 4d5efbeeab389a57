import type { Problem } from '../port.ts';
import { resultWithin } from './deadline.ts';
import { endClient, type Servers } from './servers.ts';

/** How often to look for the holder while there is one. */
const EVERY_MS = 1_000;
const LOOK_MS = 2_000;
/** More names would hide the advice. */
const TABLES_SHOWN = 3;

// Lock modes that block reads or writes. Row locks affect few requests and are ignored.
const HOLDERS = `
  select l.pid, a.application_name as "applicationName", a.usename as "user", a.state,
    to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as since,
    array_agg(distinct c.relname::text) as tables, bool_or(l.mode = 'AccessExclusiveLock') as "keepsReadsOut"
  from pg_locks l join pg_class c on c.oid = l.relation left join pg_stat_activity a on a.pid = l.pid
  where l.granted and l.pid <> pg_backend_pid() and c.relkind = 'r' and pg_table_is_visible(c.oid)
    and l.database = (select oid from pg_database where datname = current_database())
    and c.relnamespace not in (select oid from pg_namespace where nspname like 'pg~_%' escape '~')
    and l.mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')
  group by 1, 2, 3, 4, 5 order by min(a.xact_start) nulls last, 1
`;

type Holder = {
  pid: number;
  applicationName: string | null;
  user: string | null;
  state: string | null;
  since: string | null;
  tables: string[];
  keepsReadsOut: boolean;
};

/** The session that has locked tables of this database; undefined if there is none. */
export async function findLockHolder(servers: Servers): Promise<Problem | undefined> {
  const client = await servers.connect({ pipeline: false });
  try {
    const { rows } = await resultWithin(client, { text: HOLDERS }, LOOK_MS);
    const holders = rows as Holder[];
    const holder = holders.find(({ keepsReadsOut }) => keepsReadsOut) ?? holders[0];
    return holder && describe(holder);
  } finally {
    await endClient(client);
  }
}

function describe({ pid, applicationName, user, state, since, tables, keepsReadsOut }: Holder): Problem {
  const about = [applicationName, user && `user ${user}`, state, since && `since ${since} UTC`].filter(Boolean);
  const more = tables.length > TABLES_SHOWN ? ` and ${tables.length - TABLES_SHOWN} more` : '';
  const named = `${tables.slice(0, TABLES_SHOWN).join(', ')}${more}`;
  return {
    kind: 'lock',
    message: `Requests fail because session ${pid} of PostgreSQL (${about.join(', ')}) has locked tables: ${named}. A restore ends by itself; if it hangs or was stopped, end that program, or the session with \`select pg_terminate_backend(${pid})\`. Requests succeed again by themselves.`,
    effect: keepsReadsOut ? 'down' : 'read-only',
  };
}

/** After failed calls, looks for the session that holds the lock they need, until there is none. */
export class LockWatch {
  readonly #servers: Servers;
  #problem: Problem | undefined;
  #looking = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  look(): void {
    if (this.#looking || this.#timer || this.#closed) return;
    this.#looking = true;
    findLockHolder(this.#servers)
      .then(
        (problem) => {
          this.#problem = problem;
        },
        // An unreachable server is another problem, which the failing calls report.
        () => {
          this.#problem = undefined;
        },
      )
      .finally(() => {
        this.#looking = false;
        if (this.#closed || !this.#problem) return;
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.look();
        }, EVERY_MS).unref();
      });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}
