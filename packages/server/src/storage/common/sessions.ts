import type { Factor, NewSession, SecondFactorStore, SessionRecord, SessionStore } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accounts, insertAccount, lockSetUpLinks, toAccount } from './accounts.ts';
import { JOIN_MEMBERSHIPS, type JoinedMembership, MEMBERSHIP_COLUMNS, toMemberships } from './members.ts';
import { type CommonStore, type Query, toBytes, toHex } from './store.ts';

const COLUMNS =
  's.session_id, s.session_hash, s.account_id, s.created_at, s.last_seen_at, s.ends_at, s.user_agent, s.means';
type SessionRow = Record<'session_id' | 'account_id' | 'user_agent', string> &
  Record<'created_at' | 'last_seen_at' | 'ends_at', number> & {
    session_hash: Uint8Array;
    means: SessionRecord['authMethod'];
  };

export const sessions: CommonStore<SessionStore, 'findByHash' | 'list'> = {
  reads: {
    async findByHash(query, sessionHash, now) {
      const rows = await query<SessionRow & AccountRow & JoinedMembership>(
        `select ${COLUMNS}, ${ACCOUNT_COLUMNS}, ${MEMBERSHIP_COLUMNS} from sessions s
         join accounts a on a.account_id = s.account_id ${JOIN_MEMBERSHIPS}
         where s.session_hash = $1 and s.ends_at > $2 order by m.app_id`,
        [toBytes(sessionHash), now],
      );
      const [row] = rows;
      return row && { session: toSession(row), account: toAccount(row), memberships: toMemberships(rows) };
    },
    async list(query, accountId, now) {
      const rows = await query<SessionRow>(
        `select ${COLUMNS} from sessions s where s.account_id = $1::uuid and s.ends_at > $2
         order by s.last_seen_at desc, s.created_at desc, s.session_id`,
        [accountId, now],
      );
      return rows.map(toSession);
    },
  },
  acts: {
    async openByLink({ query }, linkHash, now, session, factor) {
      // The lock decides which request uses the link; if the factor was already used, the link stays.
      const [link] = await query<{ account_id: string }>(
        `select account_id from sign_in_links where link_hash = $1 and expires_at > $2 and account_id is not null for update`,
        [toBytes(linkHash), now],
      );
      if (!link || (factor && !(await spendFactor(query, link.account_id, factor)))) return 'spent';
      await query('delete from sign_in_links where link_hash = $1', [toBytes(linkHash)]);
      await insertSession(query, link.account_id, session);
      return 'opened';
    },
    async openByPassword({ query }, accountId, passwordHash, session, factor) {
      const same = await query(
        'select account_id from accounts where account_id = $1::uuid and password_hash = $2 for no key update',
        [accountId, passwordHash],
      );
      if (same.length === 0 || (factor && !(await spendFactor(query, accountId, factor)))) return 'spent';
      await insertSession(query, accountId, session);
      return 'opened';
    },
    async openByIdentity({ query }, accountId, subject, session) {
      const same = await query(
        'select account_id from accounts where account_id = $1::uuid and oidc_subject = $2 for no key update',
        [accountId, subject],
      );
      if (same.length === 0) return 'unknown';
      await insertSession(query, accountId, session);
      return 'opened';
    },
    async openBySetUp({ query }, linkHash, now, account, session) {
      await lockSetUpLinks(query);
      if (!(await accounts.reads.canSetUp(query, linkHash, now))) return 'spent';
      // The command line created this account at the same time: its link must be used instead.
      if (!(await insertAccount(query, account))) return 'spent';
      await query('delete from sign_in_links where account_id is null');
      await insertSession(query, account.accountId, session);
      return 'opened';
    },
    async end({ query }, accountId, sessionId) {
      const text = 'delete from sessions where session_id = $1::uuid and account_id = $2::uuid returning session_id';
      return (await query(text, [sessionId, accountId])).length > 0 ? 'ended' : 'unknown';
    },
    async touch({ query }, sessionId, { at, endsAt, unlessSince }) {
      await query(
        'update sessions set last_seen_at = $2, ends_at = $3 where session_id = $1::uuid and last_seen_at <= $4',
        [sessionId, at, endsAt, unlessSince],
      );
    },
  },
};

/** Of one account; those unused for the longest end first. */
const SESSIONS_KEPT = 100;

export async function insertSession(query: Query, accountId: string, session: NewSession): Promise<void> {
  const { sessionId, sessionHash, createdAt, lastSeenAt, endsAt, userAgent, authMethod } = session;
  await query(
    `delete from sessions where account_id = $1::uuid and session_id not in (
       select session_id from sessions where account_id = $1::uuid order by last_seen_at desc, session_id desc limit $2)`,
    [accountId, SESSIONS_KEPT - 1],
  );
  await query(
    `insert into sessions (session_id, session_hash, account_id, created_at, last_seen_at, ends_at, user_agent, means)
     values ($1::uuid, $2, $3::uuid, $4, $5, $6, $7, $8)`,
    [sessionId, toBytes(sessionHash), accountId, createdAt, lastSeenAt, endsAt, userAgent, authMethod],
  );
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
    authMethod: row.means,
  };
}

export const secondFactors: CommonStore<SecondFactorStore, 'countRecoveryCodes'> = {
  reads: {
    async countRecoveryCodes(query, accountId) {
      const text = 'select count(*) as count from recovery_codes where account_id = $1::uuid';
      const [row] = await query<{ count: number }>(text, [accountId]);
      return row?.count ?? 0;
    },
  },
  acts: {
    async begin({ query }, accountId, pendingTotp) {
      const [row] = await query<{ is_on: boolean | number }>(
        `update accounts set pending_totp = case when sealed_totp is null then $2::text end where account_id = $1::uuid
         returning sealed_totp is not null as is_on`,
        [accountId, pendingTotp],
      );
      if (!row) return 'unknown';
      return row.is_on ? 'on' : 'begun';
    },
    async confirm({ query }, accountId, { pendingTotp, step, recoveryHashes }) {
      const changed = await query(
        `update accounts set sealed_totp = pending_totp, pending_totp = null, totp_step = $3
         where account_id = $1::uuid and pending_totp = $2 returning account_id`,
        [accountId, pendingTotp, step],
      );
      if (changed.length === 0) return 'changed';
      await keepCodes(query, accountId, recoveryHashes);
      return 'on';
    },
    async end({ query }, accountId) {
      const ended = await query(
        `update accounts set sealed_totp = null, pending_totp = null
         where account_id = $1::uuid and sealed_totp is not null returning account_id`,
        [accountId],
      );
      if (ended.length === 0) return 'off';
      await keepCodes(query, accountId, []);
      return 'ended';
    },
    async replaceRecoveryCodes({ query }, accountId, recoveryHashes) {
      const on = await query(
        'select account_id from accounts where account_id = $1::uuid and sealed_totp is not null for no key update',
        [accountId],
      );
      if (on.length === 0) return 'off';
      await keepCodes(query, accountId, recoveryHashes);
      return 'replaced';
    },
    spend: ({ query }, accountId, factor) => spendFactor(query, accountId, factor),
  },
};

/** Only these. */
async function keepCodes(query: Query, accountId: string, hashes: readonly string[]): Promise<void> {
  await query('delete from recovery_codes where account_id = $1::uuid', [accountId]);
  for (const hash of hashes) {
    await query('insert into recovery_codes (account_id, code_hash) values ($1::uuid, $2)', [accountId, toBytes(hash)]);
  }
}

/** A code works once: an earlier step or a deleted recovery code is rejected. */
async function spendFactor(query: Query, accountId: string, factor: Factor): Promise<boolean> {
  const spent =
    'step' in factor
      ? await query(
          'update accounts set totp_step = $2 where account_id = $1::uuid and totp_step < $2 returning account_id',
          [accountId, factor.step],
        )
      : await query('delete from recovery_codes where account_id = $1::uuid and code_hash = $2 returning account_id', [
          ...[accountId, toBytes(factor.recoveryHash)],
        ]);
  return spent.length > 0;
}
