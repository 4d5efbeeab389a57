import type { SigningKeyRecord, SigningKeyStore } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';

export function signingKeyReads(connection: Connection): Pick<SigningKeyStore, 'list'> {
  return {
    async list() {
      return connection
        .statement<SigningKeyRecord>(
          `select generation, kid, algorithm, sealed_private_key as sealedPrivateKey, public_jwk as publicJwk, created_at as createdAt,
             signs_from as signsFrom, published_until as publishedUntil
           from signing_keys order by generation`,
        )
        .all();
    },
  };
}

export function signingKeyActs(connection: Connection) {
  return {
    addSigningKey(key: SigningKeyRecord, previousPublishedUntil: number): 'added' | 'taken' {
      const { changes } = connection
        .statement(
          `insert into signing_keys (generation, kid, algorithm, sealed_private_key, public_jwk, created_at, signs_from, published_until)
           values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
        )
        .run(
          key.generation,
          key.kid,
          key.algorithm,
          key.sealedPrivateKey,
          key.publicJwk,
          key.createdAt,
          key.signsFrom,
          key.publishedUntil,
        );
      if (changes === 0) return 'taken';
      connection
        .statement(
          'update signing_keys set published_until = ? where generation < ? and algorithm = ? and published_until is null',
        )
        .run(previousPublishedUntil, key.generation, key.algorithm);
      logChange(connection, 'signing-keys', null);
      return 'added';
    },
  };
}
