import type { Factor, SecondFactorStore } from '../port.ts';
import { toBytes } from './encoding.ts';
import type { CommonStore, Query } from './store.ts';

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

/** These alone. */
async function keepCodes(query: Query, accountId: string, hashes: readonly string[]): Promise<void> {
  await query('delete from recovery_codes where account_id = $1::uuid', [accountId]);
  for (const hash of hashes) {
    await query('insert into recovery_codes (account_id, code_hash) values ($1::uuid, $2)', [accountId, toBytes(hash)]);
  }
}

/** A code works once: an earlier step, or a recovery code that is gone, spends nothing. */
export async function spendFactor(query: Query, accountId: string, factor: Factor): Promise<boolean> {
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
