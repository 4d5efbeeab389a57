import type { Membership, NewSession, SessionRecord, SessionStore } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './accounts.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes, toHex } from './encoding.ts';
import { violation } from './errors.ts';
import { MEMBERSHIPS } from './members.ts';
import { spendFactor } from './second-factors.ts';
import type { Query } from './transactions.ts';

const COLUMNS =
  's.session_id, s.session_hash, s.account_id, s.created_at, s.last_seen_at, s.ends_at, s.user_agent, s.means';
const INSERT =
  'insert into sessions (session_id, session_hash, created_at, last_seen_at, ends_at, user_agent, means, account_id)';

// Deleting the links takes them all: of two people with a set-up link each, one is first and the other too late.
const OPEN_BY_SET_UP = statement(`
  with spent as (
    delete from sign_in_links where account_id is null and exists (
      select 1 from sign_in_links where link_hash = $8 and expires_at > $9 and account_id is null
    ) returning link_hash
  ), made as (
    insert into accounts (account_id, email, email_key, role, created_at, password_hash)
    select $10::uuid, $11::text, $12::text, $13::text, $14::bigint, $15::text from spent
    where link_hash = $8 and not exists (select 1 from accounts)
    returning account_id
  )
  ${INSERT}
  select $1::uuid, $2::bytea, $3::bigint, $4::bigint, $5::bigint, $6::text, $7::text, account_id from made
  returning session_id
`);

const FIND = statement(`
  select ${COLUMNS}, ${ACCOUNT_COLUMNS}, ${MEMBERSHIPS} from sessions s join accounts a on a.account_id = s.account_id
  where s.session_hash = $1 and s.ends_at > $2
`);
const LIST = statement(`
  select ${COLUMNS} from sessions s where s.account_id = $1 and s.ends_at > $2
  order by s.last_seen_at desc, s.created_at desc, s.session_id
`);
const END = statement('delete from sessions where session_id = $1 and account_id = $2 returning session_id');
const TOUCH = statement(
  'update sessions set last_seen_at = $2, ends_at = $3 where session_id = $1 and last_seen_at <= $4',
);

type SessionRow = {
  session_id: string;
  session_hash: Buffer;
  account_id: string;
  created_at: number;
  last_seen_at: number;
  ends_at: number;
  user_agent: string;
  means: SessionRecord['means'];
};

export function sessionStore(connections: Connections): SessionStore {
  return {
    async openByLink(linkHash, now, session, factor) {
      try {
        return await connections.transaction(async (query) => {
          // One conditional delete decides who spends the link; a factor that is not good brings it back.
          const [spent] = await query<{ account_id: string }>(
            `delete from sign_in_links where link_hash = $1 and expires_at > $2 and account_id is not null
             returning account_id`,
            [toBytes(linkHash), now],
          );
          if (!spent) return 'spent';
          if (factor && !(await spendFactor(query, spent.account_id, factor))) throw new FactorSpent();
          await insertSession(query, spent.account_id, session);
          return 'opened';
        });
      } catch (error) {
        // Or the account was deleted meanwhile, and the link with it.
        if (error instanceof FactorSpent || violation(error)?.constraint === 'sessions_account') return 'spent';
        throw error;
      }
    },
    openByPassword(accountId, passwordHash, session, factor) {
      return connections.transaction(async (query) => {
        const same = await query(
          'select 1 from accounts where account_id = $1 and password_hash = $2 for no key update',
          [accountId, passwordHash],
        );
        if (same.length === 0 || (factor && !(await spendFactor(query, accountId, factor)))) return 'spent';
        await insertSession(query, accountId, session);
        return 'opened';
      });
    },
    openByIdentity(accountId, subject, session) {
      return connections.transaction(async (query) => {
        const same = await query(
          'select 1 from accounts where account_id = $1 and oidc_subject = $2 for no key update',
          [accountId, subject],
        );
        if (same.length === 0) return 'unknown';
        await insertSession(query, accountId, session);
        return 'opened';
      });
    },
    async openBySetUp(linkHash, now, account, session) {
      const { accountId, email, emailKey, role, createdAt, passwordHash } = account;
      const made = [accountId, email, emailKey, role, createdAt, passwordHash];
      try {
        const rows = await connections.write(OPEN_BY_SET_UP, [...valuesOf(session), toBytes(linkHash), now, ...made]);
        return rows.length > 0 ? 'opened' : 'spent';
      } catch (error) {
        // The command line made this account at the same moment: its link is the one to use.
        if (violation(error)?.constraint === 'accounts_email') return 'spent';
        throw error;
      }
    },
    async findByHash(sessionHash, now) {
      const [row] = await connections.read<SessionRow & AccountRow & { memberships: Membership[] }>(FIND, [
        toBytes(sessionHash),
        now,
      ]);
      return row && { session: toSession(row), account: toAccount(row), memberships: row.memberships };
    },
    async list(accountId, now) {
      return (await connections.read<SessionRow>(LIST, [accountId, now])).map(toSession);
    },
    async end(accountId, sessionId) {
      return (await connections.write(END, [sessionId, accountId])).length > 0 ? 'ended' : 'unknown';
    },
    async touch(sessionId, { at, endsAt, unlessSince }) {
      await connections.write(TOUCH, [sessionId, at, endsAt, unlessSince]);
    },
  };
}

/** Undoes the transaction it is thrown in. */
class FactorSpent extends Error {}

export async function insertSession(query: Query, accountId: string, session: NewSession): Promise<void> {
  await query(`${INSERT} values ($1, $2, $3, $4, $5, $6, $7, $8)`, [...valuesOf(session), accountId]);
}

function valuesOf(session: NewSession): unknown[] {
  const { sessionId, sessionHash, createdAt, lastSeenAt, endsAt, userAgent, means } = session;
  return [sessionId, toBytes(sessionHash), createdAt, lastSeenAt, endsAt, userAgent, means];
}

function toSession(row: SessionRow): SessionRecord {
  return {
    sessionId: row.session_id,
    sessionHash: toHex(row.session_hash),
    accountId: row.account_id,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    endsAt: row.ends_at,
    userAgent: row.user_agent,
    means: row.means,
  };
}
