import type { NewSession, SessionRecord, SessionStore } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './accounts.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes, toHex } from './encoding.ts';
import { violation } from './errors.ts';

const COLUMNS = 's.session_id, s.session_hash, s.account_id, s.created_at, s.last_seen_at, s.ends_at, s.user_agent';
const INSERT =
  'insert into sessions (session_id, session_hash, created_at, last_seen_at, ends_at, user_agent, account_id)';

// One conditional delete decides who spends the link.
const OPEN_BY_LINK = statement(`
  with spent as (
    delete from sign_in_links where link_hash = $7 and expires_at > $8 and account_id is not null returning account_id
  ), opened as (
    ${INSERT}
    select $1::uuid, $2::bytea, $3::bigint, $4::bigint, $5::bigint, $6::text, account_id from spent
    returning account_id
  )
  select ${ACCOUNT_COLUMNS} from opened o join accounts a on a.account_id = o.account_id
`);

// Whoever deletes the links takes them all: of two people with a set-up link each, one is first and the other too late.
const OPEN_BY_SET_UP = statement(`
  with spent as (
    delete from sign_in_links where account_id is null and exists (
      select 1 from sign_in_links where link_hash = $7 and expires_at > $8 and account_id is null
    ) returning link_hash
  ), made as (
    insert into accounts (account_id, email, email_key, role, created_at)
    select $9::uuid, $10::text, $11::text, $12::text, $13::bigint from spent
    where link_hash = $7 and not exists (select 1 from accounts)
    returning account_id
  )
  ${INSERT}
  select $1::uuid, $2::bytea, $3::bigint, $4::bigint, $5::bigint, $6::text, account_id from made
  returning session_id
`);

const FIND = statement(`
  select ${COLUMNS}, ${ACCOUNT_COLUMNS} from sessions s join accounts a on a.account_id = s.account_id
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
};

export function sessionStore(connections: Connections): SessionStore {
  return {
    async openByLink(linkHash, now, session) {
      try {
        const values = [...valuesOf(session), toBytes(linkHash), now];
        const [row] = await connections.write<AccountRow>(OPEN_BY_LINK, values);
        return row && toAccount(row);
      } catch (error) {
        // The account was deleted meanwhile, and the link with it.
        if (violation(error)?.constraint === 'sessions_account') return undefined;
        throw error;
      }
    },
    async openBySetUp(linkHash, now, { accountId, email, emailKey, role, createdAt }, session) {
      const values = [...valuesOf(session), toBytes(linkHash), now, accountId, email, emailKey, role, createdAt];
      try {
        return (await connections.write(OPEN_BY_SET_UP, values)).length > 0 ? 'opened' : 'spent';
      } catch (error) {
        // The command line made this account at the same moment: its link is the one to use.
        if (violation(error)?.constraint === 'accounts_email') return 'spent';
        throw error;
      }
    },
    async findByHash(sessionHash, now) {
      const [row] = await connections.read<SessionRow & AccountRow>(FIND, [toBytes(sessionHash), now]);
      return row && { session: toSession(row), account: toAccount(row) };
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

function valuesOf({ sessionId, sessionHash, createdAt, lastSeenAt, endsAt, userAgent }: NewSession): unknown[] {
  return [sessionId, toBytes(sessionHash), createdAt, lastSeenAt, endsAt, userAgent];
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
  };
}
