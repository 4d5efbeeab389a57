export type SigningKeyRecord = {
  /** 1, 2, 3 …: only one replica can add each. */
  generation: number;
  kid: string;
  /** What it signs with, as JWTs name it. Each has its own succession of keys. */
  algorithm: string;
  /** The private key, sealed under INNKEEPER_SECRET; '' once it is retired, when it is erased and only verifies. */
  sealedPrivateKey: string;
  publicJwk: string;
  createdAt: number;
  /** Published before it signs, so that every verifier has met it. */
  signsFrom: number;
  /** Verifies tokens until every one it signed has expired; receipts are verified by it for good. */
  publishedUntil: number | null;
};

export interface SigningKeyStore {
  list(): Promise<SigningKeyRecord[]>;
  /** Adds the next generation; the ones of its algorithm before it stay published until `previousPublishedUntil`. */
  add(key: SigningKeyRecord, previousPublishedUntil: number): Promise<'added' | 'taken'>;
}
