import { timingSafeEqual } from 'node:crypto';
import type { ApplicationRecord, Storage } from '../../storage/port.ts';
import type { TokenAlgorithm } from '../../tokens/port.ts';
import type { Keyring } from '../keyring.ts';
import { type Application, isLive, makeClientSecret } from './application.ts';
import { completeSettings } from './settings.ts';

/** When a secret was last used is kept this exactly: a busy application costs one write a minute and process. */
const USE_MS = 60_000;

/**
 * All applications, in memory: the hot path never asks the database who is calling. Every replica
 * follows the change log (see follow-changes.ts), so a change made anywhere is here within a second.
 */
export class ApplicationDirectory {
  readonly #storage: Storage;
  readonly #keyring: Keyring;
  readonly #byAppId = new Map<number, Application>();
  readonly #byClientId = new Map<string, Application>();
  readonly #bySecretHash = new Map<string, Application>();
  /** Secrets that were lent, by hash: good in this process, until they are given back. */
  readonly #lent = new Map<string, number>();
  /** When a use of a secret was last noted, by hash. */
  readonly #noted = new Map<string, number>();
  #refresh: () => Promise<void> = async () => {};

  constructor(storage: Storage, keyring: Keyring) {
    this.#storage = storage;
    this.#keyring = keyring;
  }

  /** What to do when an application is asked for that is not here: it may have been made a moment ago. */
  onMiss(refresh: () => Promise<void>): void {
    this.#refresh = refresh;
  }

  async loadAll(): Promise<void> {
    const records = await this.#storage.applications.list();
    this.#replace([...this.#byAppId.keys()], records);
  }

  async reload(appIds: readonly number[]): Promise<void> {
    this.#replace(appIds, await this.#storage.applications.list(appIds));
  }

  async findByClientId(clientId: string): Promise<Application | undefined> {
    return this.#byClientId.get(clientId) ?? (await this.#lookAgain(() => this.#byClientId.get(clientId)));
  }

  /** As far as it is known here, without a look at the database. */
  peek(clientId: string): Application | undefined {
    return this.#byClientId.get(clientId);
  }

  peekById(appId: number): Application | undefined {
    return this.#byAppId.get(appId);
  }

  all(): Iterable<Application> {
    return this.#byAppId.values();
  }

  tokenAlgorithms(): Set<TokenAlgorithm> {
    return new Set([...this.#byAppId.values()].map(({ settings }) => settings.tokenAlgorithm));
  }

  knows(appId: number): boolean {
    return this.#byAppId.has(appId);
  }

  async hasSecret(application: Application, clientSecret: string, now: number): Promise<boolean> {
    const hash = this.#keyring.hashSecret(clientSecret);
    if (this.#lent.get(hash) === application.appId || this.#matches(application, hash, now)) return true;
    const again = await this.#lookAgain(() => this.#byAppId.get(application.appId));
    return again !== undefined && this.#matches(again, hash, now);
  }

  /** For callers that send a secret and no clientId. */
  async findBySecret(clientSecret: string, now: number): Promise<Application | undefined> {
    const hash = this.#keyring.hashSecret(clientSecret);
    const lentBy = this.#lent.get(hash);
    if (lentBy !== undefined) return this.#byAppId.get(lentBy);
    const application = this.#bySecretHash.get(hash) ?? (await this.#lookAgain(() => this.#bySecretHash.get(hash)));
    return application && this.#matches(application, hash, now) ? application : undefined;
  }

  /** A secret that is stored nowhere and valid in this process only, while `work` runs. */
  async lendSecret<T>({ appId }: Application, work: (clientSecret: string) => Promise<T>): Promise<T> {
    const clientSecret = makeClientSecret();
    const hash = this.#keyring.hashSecret(clientSecret);
    this.#lent.set(hash, appId);
    try {
      return await work(clientSecret);
    } finally {
      this.#lent.delete(hash);
    }
  }

  /** One small read that all requests of the moment share, so strangers cannot make it costly. */
  async #lookAgain<T>(find: () => T | undefined): Promise<T | undefined> {
    await this.#refresh();
    return find();
  }

  #matches(application: Application, hash: string, now: number): boolean {
    const found = matches(application, hash, now);
    if (found && now - (this.#noted.get(hash) ?? 0) >= USE_MS) {
      this.#noted.set(hash, now);
      // Nobody waits for it, and nothing depends on it.
      this.#storage.applications.touchSecret(hash, now, now - USE_MS).catch(() => {});
    }
    return found;
  }

  #replace(appIds: readonly number[], records: readonly ApplicationRecord[]): void {
    for (const appId of appIds) this.#forget(appId);
    for (const record of records) this.#remember(record);
    for (const hash of this.#noted.keys()) if (!this.#bySecretHash.has(hash)) this.#noted.delete(hash);
  }

  #remember(record: ApplicationRecord): void {
    const application: Application = { ...record, settings: completeSettings(record.settings) };
    this.#byAppId.set(application.appId, application);
    this.#byClientId.set(application.clientId, application);
    for (const secret of application.secrets) this.#bySecretHash.set(secret.secretHash, application);
  }

  #forget(appId: number): void {
    const known = this.#byAppId.get(appId);
    if (!known) return;
    this.#byAppId.delete(appId);
    this.#byClientId.delete(known.clientId);
    for (const secret of known.secrets) this.#bySecretHash.delete(secret.secretHash);
  }
}

function matches(application: Application, hash: string, now: number): boolean {
  const presented = Buffer.from(hash, 'hex');
  let found = false;
  for (const secret of application.secrets) {
    const equal = timingSafeEqual(Buffer.from(secret.secretHash, 'hex'), presented);
    found = (equal && isLive(secret, now)) || found;
  }
  return found;
}
