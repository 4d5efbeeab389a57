import type { Factor, NewAccount, NewSession, SessionRecord, SessionStore } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, insertAccount, toAccount } from './accounts.ts';
import type { Connection } from './connection.ts';
import { toBytes, toHex, toUuid } from './encoding.ts';
import { membershipsOf } from './members.ts';
import { spendFactor } from './second-factors.ts';

const COLUMNS =
  's.session_id, s.session_hash, s.account_id, s.created_at, s.last_seen_at, s.ends_at, s.user_agent, s.means';
type SessionRow = Record<'session_id' | 'session_hash' | 'account_id', Uint8Array> &
  Record<'created_at' | 'last_seen_at' | 'ends_at', number> & { user_agent: string; means: SessionRecord['means'] };

export function sessionReads(connection: Connection): Pick<SessionStore, 'findByHash' | 'list'> {
  const { statement } = connection;
  return {
    async findByHash(sessionHash, now) {
      const row = statement<SessionRow & AccountRow>(
        `select ${COLUMNS}, ${ACCOUNT_COLUMNS} from sessions s join accounts a on a.account_id = s.account_id
         where s.session_hash = ? and s.ends_at > ?`,
      ).get(toBytes(sessionHash), now);
      if (!row) return undefined;
      const memberships = membershipsOf(connection, row.account_id);
      return { session: toSession(row), account: toAccount(row), memberships };
    },
    async list(accountId, now) {
      return statement<SessionRow>(
        `select ${COLUMNS} from sessions s where s.account_id = ? and s.ends_at > ?
         order by s.last_seen_at desc, s.created_at desc, s.session_id`,
      )
        .all(toBytes(accountId), now)
        .map(toSession);
    },
  };
}

export function sessionActs(connection: Connection) {
  const { statement } = connection;
  return {
    openSessionByLink(linkHash: string, now: number, session: NewSession, factor?: Factor): 'opened' | 'spent' {
      const link = statement<{ account_id: Uint8Array }>(
        'select account_id from sign_in_links where link_hash = ? and expires_at > ? and account_id is not null',
      ).get(toBytes(linkHash), now);
      if (!link) return 'spent';
      const accountId = Buffer.from(link.account_id);
      if (factor && !spendFactor(connection, accountId, factor)) return 'spent';
      statement('delete from sign_in_links where link_hash = ?').run(toBytes(linkHash));
      insertSession(connection, accountId, session);
      return 'opened';
    },
    openSessionByPassword(
      accountId: string,
      passwordHash: string,
      session: NewSession,
      factor?: Factor,
    ): 'opened' | 'spent' {
      const id = toBytes(accountId);
      const same = statement('select 1 from accounts where account_id = ? and password_hash = ?').get(id, passwordHash);
      if (!same || (factor && !spendFactor(connection, id, factor))) return 'spent';
      insertSession(connection, id, session);
      return 'opened';
    },
    openSessionByIdentity(accountId: string, subject: string, session: NewSession): 'opened' | 'unknown' {
      const id = toBytes(accountId);
      const same = statement('select 1 from accounts where account_id = ? and oidc_subject = ?').get(id, subject);
      if (!same) return 'unknown';
      insertSession(connection, id, session);
      return 'opened';
    },
    openSessionBySetUp(linkHash: string, now: number, account: NewAccount, session: NewSession): 'opened' | 'spent' {
      if (statement('select 1 from accounts limit 1').get()) return 'spent';
      const { changes } = statement(
        'delete from sign_in_links where link_hash = ? and expires_at > ? and account_id is null',
      ).run(toBytes(linkHash), now);
      if (changes === 0) return 'spent';
      statement('delete from sign_in_links where account_id is null').run();
      insertAccount(connection, account);
      insertSession(connection, toBytes(account.accountId), session);
      return 'opened';
    },
    endSession(accountId: string, sessionId: string): 'ended' | 'unknown' {
      const { changes } = statement('delete from sessions where session_id = ? and account_id = ?').run(
        toBytes(sessionId),
        toBytes(accountId),
      );
      return changes === 0 ? 'unknown' : 'ended';
    },
    touchSession(sessionId: string, seen: { at: number; endsAt: number; unlessSince: number }): void {
      statement('update sessions set last_seen_at = ?, ends_at = ? where session_id = ? and last_seen_at <= ?').run(
        seen.at,
        seen.endsAt,
        toBytes(sessionId),
        seen.unlessSince,
      );
    },
  };
}

export function insertSession({ statement }: Connection, accountId: Buffer, session: NewSession): void {
  const { sessionId, sessionHash, createdAt, lastSeenAt, endsAt, userAgent, means } = session;
  statement(
    `insert into sessions (session_id, session_hash, account_id, created_at, last_seen_at, ends_at, user_agent, means)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(toBytes(sessionId), toBytes(sessionHash), accountId, createdAt, lastSeenAt, endsAt, userAgent, means);
}

function toSession(row: SessionRow): SessionRecord {
  return {
    sessionId: toUuid(row.session_id),
    sessionHash: toHex(row.session_hash),
    accountId: toUuid(row.account_id),
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    endsAt: row.ends_at,
    userAgent: row.user_agent,
    means: row.means,
  };
}
