import type { AccountRecord, AccountStore, NewAccount, NewLink } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';

export const ACCOUNT_COLUMNS = 'a.account_id, a.email, a.role, a.created_at as account_created_at';

export function accountReads({ statement }: Connection): Pick<AccountStore, 'list'> {
  return {
    async list() {
      return statement(`select ${ACCOUNT_COLUMNS} from accounts a order by a.created_at, a.account_id`)
        .all()
        .map(toAccount);
    },
  };
}

export function accountActs(connection: Connection) {
  const { statement } = connection;
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
      const row = statement(`select ${ACCOUNT_COLUMNS} from accounts a where a.email_key = ?`).get(account.emailKey);
      if (!row) insertAccount(connection, account);
      const kept = row ? toAccount(row) : toRecord(account);
      const id = toBytes(kept.accountId);
      statement('delete from sign_in_links where account_id = ? or account_id is null').run(id);
      addLink(id, link);
      return { outcome: row ? 'there' : 'created', account: kept };
    },
    addSetUpLink(link: NewLink): 'added' | 'account-there' {
      if (statement('select 1 from accounts limit 1').get()) return 'account-there';
      addLink(null, link);
      return 'added';
    },
    deleteAccount(emailKey: string): 'deleted' | 'unknown' {
      const { changes } = statement('delete from accounts where email_key = ?').run(emailKey);
      return changes === 0 ? 'unknown' : 'deleted';
    },
  };
}

export function insertAccount({ statement }: Connection, account: NewAccount): void {
  const { accountId, email, emailKey, role, createdAt } = account;
  statement('insert into accounts (account_id, email, email_key, role, created_at) values (?, ?, ?, ?, ?)').run(
    toBytes(accountId),
    email,
    emailKey,
    role,
    createdAt,
  );
}

export function toAccount(row: Record<string, unknown>): AccountRecord {
  return {
    accountId: toUuid(row.account_id as Uint8Array),
    email: row.email as string,
    role: row.role as AccountRecord['role'],
    createdAt: row.account_created_at as number,
  };
}

function toRecord({ emailKey: _, ...account }: NewAccount): AccountRecord {
  return account;
}
