import type { Factor, SecondFactorStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes } from './encoding.ts';
import type { Query } from './transactions.ts';

const BEGIN = statement(`
  update accounts set pending_totp = case when sealed_totp is null then $2 end where account_id = $1
  returning sealed_totp is not null as on
`);

const INSERT_CODES = 'insert into recovery_codes (account_id, code_hash) select account_id, unnest($2::bytea[]) from';

const CONFIRM = statement(`
  with changed as (
    update accounts set sealed_totp = pending_totp, pending_totp = null, totp_step = $4
    where account_id = $1 and pending_totp = $3 returning account_id
  ), codes as (${INSERT_CODES} changed)
  select account_id from changed
`);

const END = statement(`
  with changed as (
    update accounts set sealed_totp = null, pending_totp = null where account_id = $1 and sealed_totp is not null
    returning account_id
  ), codes as (
    delete from recovery_codes r using changed c where r.account_id = c.account_id
  )
  select account_id from changed
`);

const COUNT = statement('select count(*) as count from recovery_codes where account_id = $1');

export function secondFactorStore(connections: Connections): SecondFactorStore {
  return {
    async begin(accountId, pendingTotp) {
      const [row] = await connections.write<{ on: boolean }>(BEGIN, [accountId, pendingTotp]);
      if (!row) return 'unknown';
      return row.on ? 'on' : 'begun';
    },
    async confirm(accountId, { pendingTotp, step, recoveryHashes }) {
      const values = [accountId, recoveryHashes.map(toBytes), pendingTotp, step];
      return (await connections.write(CONFIRM, values)).length > 0 ? 'on' : 'changed';
    },
    async end(accountId) {
      return (await connections.write(END, [accountId])).length > 0 ? 'ended' : 'off';
    },
    replaceRecoveryCodes(accountId, recoveryHashes) {
      return connections.transaction(async (query) => {
        const on = await query('select 1 from accounts where account_id = $1 and sealed_totp is not null for update', [
          accountId,
        ]);
        if (on.length === 0) return 'off';
        await query('delete from recovery_codes where account_id = $1', [accountId]);
        await query(`${INSERT_CODES} accounts where account_id = $1`, [accountId, recoveryHashes.map(toBytes)]);
        return 'replaced';
      });
    },
    spend(accountId, factor) {
      return connections.transaction((query) => spendFactor(query, accountId, factor));
    },
    async countRecoveryCodes(accountId) {
      const [row] = await connections.read<{ count: number }>(COUNT, [accountId]);
      return row?.count ?? 0;
    },
  };
}

/** A code works once: an earlier step, or a recovery code that is gone, spends nothing. */
export async function spendFactor(query: Query, accountId: string, factor: Factor): Promise<boolean> {
  const rows =
    'step' in factor
      ? await query('update accounts set totp_step = $2 where account_id = $1 and totp_step < $2 returning 1', [
          accountId,
          factor.step,
        ])
      : await query('delete from recovery_codes where account_id = $1 and code_hash = $2 returning 1', [
          accountId,
          toBytes(factor.recoveryHash),
        ]);
  return rows.length > 0;
}
