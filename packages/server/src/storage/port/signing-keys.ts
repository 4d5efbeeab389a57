export type SigningKeyRecord = {
  /** 1, 2, 3 …: only one replica can add each. */
  generation: number;
  kid: string;
  /** The signing algorithm, by its JWT name. Each has its own sequence of keys. */
  algorithm: string;
  /**
   * The private key, sealed under INNKEEPER_SECRET; '' once the key is retired: then it is erased, and the key only
   * verifies.
   */
  sealedPrivateKey: string;
  publicJwk: string;
  createdAt: number;
  /** Published before it signs, so that every verifier has seen it. */
  signsFrom: number;
  /** Verifies tokens until all of its tokens have expired; verifies receipts forever. */
  publishedUntil: number | null;
};

export interface SigningKeyStore {
  list(): Promise<SigningKeyRecord[]>;
  /** Adds the next generation; earlier keys of its algorithm stay published until `previousPublishedUntil`. */
  add(key: SigningKeyRecord, previousPublishedUntil: number): Promise<'added' | 'taken'>;
}
