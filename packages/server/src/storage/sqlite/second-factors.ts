import type { Factor, SecondFactorStore } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './encoding.ts';

export function secondFactorReads({ value }: Connection): Pick<SecondFactorStore, 'countRecoveryCodes'> {
  return {
    async countRecoveryCodes(accountId) {
      return value('select count(*) as count from recovery_codes where account_id = ?', toBytes(accountId));
    },
  };
}

export function secondFactorActs(connection: Connection) {
  const { statement } = connection;
  const keepCodes = (id: Buffer, hashes: readonly string[]): void => {
    statement('delete from recovery_codes where account_id = ?').run(id);
    for (const hash of hashes) {
      statement('insert into recovery_codes (account_id, code_hash) values (?, ?)').run(id, toBytes(hash));
    }
  };
  const isOn = (id: Buffer): boolean =>
    statement('select 1 from accounts where account_id = ? and sealed_totp is not null').get(id) !== undefined;

  return {
    beginTotp(accountId: string, pendingTotp: string): 'begun' | 'on' | 'unknown' {
      const id = toBytes(accountId);
      if (isOn(id)) return 'on';
      const { changes } = statement('update accounts set pending_totp = ? where account_id = ?').run(pendingTotp, id);
      return changes === 0 ? 'unknown' : 'begun';
    },
    confirmTotp(
      accountId: string,
      confirmed: { pendingTotp: string; step: number; recoveryHashes: readonly string[] },
    ): 'on' | 'changed' {
      const id = toBytes(accountId);
      const { changes } = statement(
        `update accounts set sealed_totp = pending_totp, pending_totp = null, totp_step = ?
         where account_id = ? and pending_totp = ?`,
      ).run(confirmed.step, id, confirmed.pendingTotp);
      if (changes === 0) return 'changed';
      keepCodes(id, confirmed.recoveryHashes);
      return 'on';
    },
    endTotp(accountId: string): 'ended' | 'off' {
      const id = toBytes(accountId);
      if (!isOn(id)) return 'off';
      statement('update accounts set sealed_totp = null, pending_totp = null where account_id = ?').run(id);
      keepCodes(id, []);
      return 'ended';
    },
    replaceRecoveryCodes(accountId: string, recoveryHashes: readonly string[]): 'replaced' | 'off' {
      const id = toBytes(accountId);
      if (!isOn(id)) return 'off';
      keepCodes(id, recoveryHashes);
      return 'replaced';
    },
    spendSecondFactor: (accountId: string, factor: Factor): boolean =>
      spendFactor(connection, toBytes(accountId), factor),
  };
}

/** A code works once: an earlier step, or a recovery code that is gone, spends nothing. */
export function spendFactor({ statement }: Connection, accountId: Uint8Array, factor: Factor): boolean {
  const { changes } =
    'step' in factor
      ? statement('update accounts set totp_step = ? where account_id = ? and totp_step < ?').run(
          factor.step,
          accountId,
          factor.step,
        )
      : statement('delete from recovery_codes where account_id = ? and code_hash = ?').run(
          accountId,
          toBytes(factor.recoveryHash),
        );
  return changes > 0;
}
