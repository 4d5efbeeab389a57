import type { SigningKeyRecord, SigningKeyStore } from '../port.ts';
import type { CommonStore } from './store.ts';

export const signingKeys: CommonStore<SigningKeyStore, 'list'> = {
  reads: {
    list: (query) =>
      query<SigningKeyRecord>(
        `select generation, kid, algorithm, sealed_private_key as "sealedPrivateKey", public_jwk as "publicJwk",
           created_at as "createdAt", signs_from as "signsFrom", published_until as "publishedUntil"
         from signing_keys order by generation`,
      ),
  },
  acts: {
    async add({ query, logChange }, key, previousPublishedUntil) {
      const { generation, kid, algorithm, sealedPrivateKey, publicJwk, createdAt, signsFrom, publishedUntil } = key;
      const added = await query(
        `insert into signing_keys (generation, kid, algorithm, sealed_private_key, public_jwk, created_at, signs_from, published_until)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning generation`,
        [generation, kid, algorithm, sealedPrivateKey, publicJwk, createdAt, signsFrom, publishedUntil],
      );
      if (added.length === 0) return 'taken';
      await query(
        'update signing_keys set published_until = $1 where generation < $2 and algorithm = $3 and published_until is null',
        [previousPublishedUntil, generation, algorithm],
      );
      await logChange('signing-keys', null);
      return 'added';
    },
  },
};
