import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { TokenAlgorithm } from './port.ts';

/** RFC 7518 3.3 and 3.4, RFC 8037: how node:crypto signs as JWTs require. */
export const ALGORITHMS: Record<TokenAlgorithm, { digest: string | null; dsaEncoding?: 'ieee-p1363' }> = {
  EdDSA: { digest: null },
  RS256: { digest: 'sha256' },
  ES256: { digest: 'sha256', dsaEncoding: 'ieee-p1363' },
};

const generate = promisify(generateKeyPair);

type KeyPair = { privateKey: KeyObject; publicKey: KeyObject };

/** On node's thread pool: an RSA key takes a tenth of a second or more. */
export function generateKey(algorithm: TokenAlgorithm): Promise<KeyPair> {
  switch (algorithm) {
    case 'EdDSA':
      return generate('ed25519');
    case 'RS256':
      return generate('rsa', { modulusLength: 2048 });
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
  }
}
