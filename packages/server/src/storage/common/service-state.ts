import {
  type FactStore,
  SEALED_PLACES,
  type SealedPlace,
  type SealedStore,
  type SealedText,
  type SigningKeyRecord,
  type SigningKeyStore,
} from '../port.ts';
import type { CommonStore } from './store.ts';

export const facts: CommonStore<FactStore, 'get'> = {
  reads: {
    async get(query, name) {
      const [row] = await query<{ value: string }>('select value from facts where name = $1', [name]);
      return row?.value;
    },
  },
  acts: {
    async settle({ query }, name, value) {
      // The update changes nothing: on a conflict, it returns the row that won, even one that was just committed.
      const [row] = await query<{ value: string }>(
        `insert into facts (name, value) values ($1, $2)
         on conflict (name) do update set value = facts.value returning value`,
        [name, value],
      );
      if (!row) throw new Error(`Fact ${name} was neither written nor found.`);
      return row.value;
    },
    async replace({ query }, name, expected, value) {
      const text = 'update facts set value = $3 where name = $1 and value = $2 returning name';
      return (await query(text, [name, expected, value])).length > 0;
    },
  },
};

const LIST = (Object.keys(SEALED_PLACES) as SealedPlace[])
  .map((place) => {
    const { table, column } = SEALED_PLACES[place];
    return `select '${place}' as place, ${column} as sealed from ${table} where ${column} <> ''`;
  })
  .join(' union all ');

export const sealed: CommonStore<SealedStore, 'list'> = {
  reads: { list: (query) => query<SealedText>(LIST) },
  acts: {
    async replace({ query }, changes) {
      let replaced = 0;
      for (const { place, from, to } of changes) {
        const { table, column } = SEALED_PLACES[place];
        const rows = await query(`update ${table} set ${column} = $2 where ${column} = $1 returning ${column}`, [
          from,
          to,
        ]);
        replaced += rows.length;
      }
      return replaced;
    },
    async switchSecret(act, fact, expected, check) {
      if (!(await facts.acts.replace(act, fact, expected, check))) return 'changed';
      await act.logChange('secret', null);
      return 'switched';
    },
  },
};

export const signingKeys: CommonStore<SigningKeyStore, 'list'> = {
  reads: {
    list: (query) =>
      query<SigningKeyRecord>(
        `select generation, kid, algorithm, sealed_private_key as "sealedPrivateKey", public_jwk as "publicJwk",
           created_at as "createdAt", signs_from as "signsFrom", published_until as "eraseAt"
         from signing_keys order by generation`,
      ),
  },
  acts: {
    async add({ query, logChange }, key, erasePreviousAt) {
      const { generation, kid, algorithm, sealedPrivateKey, publicJwk, createdAt, signsFrom, eraseAt } = key;
      const added = await query(
        `insert into signing_keys (generation, kid, algorithm, sealed_private_key, public_jwk, created_at, signs_from, published_until)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning generation`,
        [generation, kid, algorithm, sealedPrivateKey, publicJwk, createdAt, signsFrom, eraseAt],
      );
      if (added.length === 0) return 'taken';
      await query(
        'update signing_keys set published_until = $1 where generation < $2 and algorithm = $3 and published_until is null',
        [erasePreviousAt, generation, algorithm],
      );
      await logChange('signing-keys', null);
      return 'added';
    },
  },
};

/** One row, `newest`: the same in both databases. Each maximum is read from an index or a small table. */
export const NEWEST_RECORD = `
  select max(at) as newest from (
    select max(at) as at from audit_log
    union all select max(at) from activity where step = 'hour'
    union all select max(created_at) from signing_keys
    union all select max(at) from change_log
  ) as records
`;
