import type { AccountRecord, NewAccount, NewSession, SessionRecord, SessionStore } from '../port.ts';
import { ACCOUNT_COLUMNS, insertAccount, toAccount } from './accounts.ts';
import type { Connection } from './connection.ts';
import { toBytes, toHex, toUuid } from './encoding.ts';

const COLUMNS = 's.session_id, s.session_hash, s.account_id, s.created_at, s.last_seen_at, s.ends_at, s.user_agent';

export function sessionReads({ statement }: Connection): Pick<SessionStore, 'findByHash' | 'list'> {
  return {
    async findByHash(sessionHash, now) {
      const row = statement(
        `select ${COLUMNS}, ${ACCOUNT_COLUMNS} from sessions s join accounts a on a.account_id = s.account_id
         where s.session_hash = ? and s.ends_at > ?`,
      ).get(toBytes(sessionHash), now);
      return row && { session: toSession(row), account: toAccount(row) };
    },
    async list(accountId, now) {
      return statement(
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
  const open = (accountId: Buffer, session: NewSession): void => {
    const { sessionId, sessionHash, createdAt, lastSeenAt, endsAt, userAgent } = session;
    statement(
      `insert into sessions (session_id, session_hash, account_id, created_at, last_seen_at, ends_at, user_agent)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ).run(toBytes(sessionId), toBytes(sessionHash), accountId, createdAt, lastSeenAt, endsAt, userAgent);
  };

  return {
    openSessionByLink(linkHash: string, now: number, session: NewSession): AccountRecord | undefined {
      const spent = statement(
        `delete from sign_in_links where link_hash = ? and expires_at > ? and account_id is not null
         returning account_id`,
      ).get(toBytes(linkHash), now);
      if (!spent) return undefined;
      const accountId = Buffer.from(spent.account_id as Uint8Array);
      open(accountId, session);
      const row = statement(`select ${ACCOUNT_COLUMNS} from accounts a where a.account_id = ?`).get(accountId);
      return row && toAccount(row);
    },
    openSessionBySetUp(linkHash: string, now: number, account: NewAccount, session: NewSession): 'opened' | 'spent' {
      if (statement('select 1 from accounts limit 1').get()) return 'spent';
      const { changes } = statement(
        'delete from sign_in_links where link_hash = ? and expires_at > ? and account_id is null',
      ).run(toBytes(linkHash), now);
      if (changes === 0) return 'spent';
      statement('delete from sign_in_links where account_id is null').run();
      insertAccount(connection, account);
      open(toBytes(account.accountId), session);
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

function toSession(row: Record<string, unknown>): SessionRecord {
  return {
    sessionId: toUuid(row.session_id as Uint8Array),
    sessionHash: toHex(row.session_hash as Uint8Array),
    accountId: toUuid(row.account_id as Uint8Array),
    createdAt: row.created_at as number,
    lastSeenAt: row.last_seen_at as number,
    endsAt: row.ends_at as number,
    userAgent: row.user_agent as string,
  };
}
