import type { AccountRecord, AccountStore, Credentials, Identity, NewAccount, NewLink } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';

export const ACCOUNT_COLUMNS = `a.account_id, a.email, a.role, a.created_at as account_created_at,
  a.password_hash is not null as has_password, a.sealed_totp is not null as has_totp, a.preferences`;
export type AccountRow = Pick<AccountRecord, 'email' | 'role' | 'preferences'> &
  Record<'account_created_at' | 'has_password' | 'has_totp', number> & { account_id: Uint8Array };
const CREDENTIALS = 'a.password_hash, a.sealed_totp, a.pending_totp';
type CredentialsRow = Record<'password_hash' | 'sealed_totp' | 'pending_totp', string | null>;

type Reads = Pick<AccountStore, 'list' | 'findByEmail' | 'findByLink' | 'canSetUp' | 'credentials'>;

export function accountReads({ statement }: Connection): Reads {
  const found = (row: (AccountRow & CredentialsRow) | undefined) =>
    row && { account: toAccount(row), credentials: toCredentials(row) };
  return {
    async list() {
      return statement<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts a order by a.created_at, a.account_id`)
        .all()
        .map(toAccount);
    },
    async findByEmail(emailKey) {
      return found(
        statement<AccountRow & CredentialsRow>(
          `select ${ACCOUNT_COLUMNS}, ${CREDENTIALS} from accounts a where a.email_key = ?`,
        ).get(emailKey),
      );
    },
    async findByLink(linkHash, now) {
      return found(
        statement<AccountRow & CredentialsRow>(
          `select ${ACCOUNT_COLUMNS}, ${CREDENTIALS} from sign_in_links l join accounts a on a.account_id = l.account_id
           where l.link_hash = ? and l.expires_at > ?`,
        ).get(toBytes(linkHash), now),
      );
    },
    async canSetUp(linkHash, now) {
      const row = statement(
        `select 1 from sign_in_links where link_hash = ? and expires_at > ? and account_id is null
         and not exists (select 1 from accounts)`,
      ).get(toBytes(linkHash), now);
      return row !== undefined;
    },
    async credentials(accountId) {
      const row = statement<CredentialsRow>(`select ${CREDENTIALS} from accounts a where a.account_id = ?`).get(
        toBytes(accountId),
      );
      return row && toCredentials(row);
    },
  };
}

export function accountActs(connection: Connection) {
  const { statement, value } = connection;
  const addLink = (accountId: Buffer | null, { linkHash, expiresAt }: NewLink): void => {
    statement('insert into sign_in_links (link_hash, account_id, expires_at) values (?, ?, ?)').run(
      toBytes(linkHash),
      accountId,
      expiresAt,
    );
  };

  return {
    createAccountWithLink(
      account: NewAccount,
      link: NewLink,
    ): { outcome: 'created' | 'there'; account: AccountRecord } {
      const find = statement<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts a where a.email_key = ?`);
      const there = find.get(account.emailKey);
      if (!there) insertAccount(connection, account);
      const kept = toAccount(there ?? (find.get(account.emailKey) as AccountRow));
      const id = toBytes(kept.accountId);
      statement('delete from sign_in_links where account_id = ? or account_id is null').run(id);
      addLink(id, link);
      return { outcome: there ? 'there' : 'created', account: kept };
    },
    identifyAccount(
      { subject, emailKey }: Identity,
      account: NewAccount | null,
    ): Awaited<ReturnType<AccountStore['identify']>> {
      const by = (column: string, value: string) =>
        statement<AccountRow & { oidc_subject: string | null }>(
          `select ${ACCOUNT_COLUMNS}, a.oidc_subject from accounts a where a.${column} = ?`,
        ).get(value);
      const link = (id: Uint8Array) =>
        statement('update accounts set oidc_subject = ? where account_id = ?').run(subject, id);
      const known = by('oidc_subject', subject);
      if (known) return { outcome: 'found', account: toAccount(known) };
      const there = emailKey === null ? undefined : by('email_key', emailKey);
      if (there) {
        if (there.oidc_subject !== null) return 'other-identity';
        link(there.account_id);
        return { outcome: 'linked', account: toAccount(there) };
      }
      if (account === null) return 'unknown';
      insertAccount(connection, account);
      link(toBytes(account.accountId));
      return { outcome: 'created', account: toAccount(by('oidc_subject', subject) as AccountRow) };
    },
    setAccountRole(
      accountId: string,
      role: AccountRecord['role'],
    ): 'changed' | 'same' | 'unknown' | 'last-administrator' {
      const id = toBytes(accountId);
      const held = value<AccountRecord['role'] | undefined>('select role from accounts where account_id = ?', id);
      if (held === undefined) return 'unknown';
      if (held === role) return 'same';
      const others = statement("select 1 from accounts where role = 'administrator' and account_id <> ?").get(id);
      if (role !== 'administrator' && !others) return 'last-administrator';
      statement('update accounts set role = ? where account_id = ?').run(role, id);
      return 'changed';
    },
    addAccountLink(accountId: string, link: NewLink): 'added' | 'unknown' {
      const id = toBytes(accountId);
      if (!statement('select 1 from accounts where account_id = ?').get(id)) return 'unknown';
      addLink(id, link);
      return 'added';
    },
    addSetUpLink(link: NewLink): 'added' | 'account-there' {
      if (statement('select 1 from accounts limit 1').get()) return 'account-there';
      addLink(null, link);
      return 'added';
    },
    setAccountPassword(accountId: string, passwordHash: string, keepSessionId: string): 'set' | 'unknown' {
      const id = toBytes(accountId);
      const { changes } = statement('update accounts set password_hash = ? where account_id = ?').run(passwordHash, id);
      if (changes === 0) return 'unknown';
      statement('delete from sessions where account_id = ? and session_id <> ?').run(id, toBytes(keepSessionId));
      statement('delete from sign_in_links where account_id = ?').run(id);
      return 'set';
    },
    setAccountPreferences(accountId: string, preferences: string): 'set' | 'unknown' {
      const { changes } = statement('update accounts set preferences = ? where account_id = ?').run(
        preferences,
        toBytes(accountId),
      );
      return changes === 0 ? 'unknown' : 'set';
    },
    resetAccount(emailKey: string, what: { password: boolean; totp: boolean }): 'reset' | 'unknown' {
      const id = value<Uint8Array | undefined>('select account_id from accounts where email_key = ?', emailKey);
      if (!id) return 'unknown';
      if (what.password) {
        statement('update accounts set password_hash = null where account_id = ?').run(id);
        statement('delete from manage_tokens where account_id = ?').run(id);
        statement('delete from invitations where inviter_id = ?').run(id);
      }
      if (what.totp) {
        statement('update accounts set sealed_totp = null, pending_totp = null where account_id = ?').run(id);
        statement('delete from recovery_codes where account_id = ?').run(id);
      }
      statement('delete from sessions where account_id = ?').run(id);
      return 'reset';
    },
    deleteAccount(emailKey: string): 'deleted' | 'unknown' {
      const { changes } = statement('delete from accounts where email_key = ?').run(emailKey);
      return changes === 0 ? 'unknown' : 'deleted';
    },
  };
}

export function insertAccount({ statement }: Connection, account: NewAccount): void {
  const { accountId, email, emailKey, role, createdAt, passwordHash } = account;
  statement(
    'insert into accounts (account_id, email, email_key, role, created_at, password_hash) values (?, ?, ?, ?, ?, ?)',
  ).run(toBytes(accountId), email, emailKey, role, createdAt, passwordHash);
}

export function toAccount(row: AccountRow): AccountRecord {
  return {
    accountId: toUuid(row.account_id),
    email: row.email,
    role: row.role,
    createdAt: row.account_created_at,
    hasPassword: row.has_password === 1,
    hasTotp: row.has_totp === 1,
    preferences: row.preferences,
  };
}

function toCredentials(row: CredentialsRow): Credentials {
  return { passwordHash: row.password_hash, sealedTotp: row.sealed_totp, pendingTotp: row.pending_totp };
}
