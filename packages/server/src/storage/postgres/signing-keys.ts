import type { SigningKeyRecord, SigningKeyStore } from '../port.ts';
import { logChange } from './changes.ts';
import { type Connections, statement } from './connections.ts';

const LIST = statement(`
  select generation, kid, algorithm, sealed_private_key as "sealedPrivateKey", public_jwk as "publicJwk", created_at as "createdAt",
    signs_from as "signsFrom", published_until as "publishedUntil"
  from signing_keys order by generation
`);

export function signingKeyStore(connections: Connections): SigningKeyStore {
  return {
    list: () => connections.read<SigningKeyRecord>(LIST),
    add: (key, previousPublishedUntil) =>
      connections.transaction(async (query) => {
        const added = await query(
          `insert into signing_keys (generation, kid, algorithm, sealed_private_key, public_jwk, created_at, signs_from, published_until)
           values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning generation`,
          [
            key.generation,
            key.kid,
            key.algorithm,
            key.sealedPrivateKey,
            key.publicJwk,
            key.createdAt,
            key.signsFrom,
            key.publishedUntil,
          ],
        );
        if (added.length === 0) return 'taken';
        await query(
          'update signing_keys set published_until = $1 where generation < $2 and algorithm = $3 and published_until is null',
          [previousPublishedUntil, key.generation, key.algorithm],
        );
        await logChange(query, 'signing-keys', null);
        return 'added';
      }),
  };
}
