import { timingSafeEqual } from 'node:crypto';
import type { ApplicationRecord, Storage } from '../../storage/port.ts';
import type { TokenAlgorithm } from '../../tokens/port.ts';
import type { Keyring } from '../keyring.ts';
import { type Application, isLive, makeClientSecret } from './application.ts';
import { completeSettings } from './settings.ts';

/** Precision of a secret's last use: a busy application costs one write per minute and process. */
const USE_MS = 60_000;

/**
 * All applications, in memory: hot paths never query who is calling. Every replica follows the change log
 * (follow-changes.ts), so a change made anywhere arrives within a second.
 */
export class ApplicationDirectory {
  readonly #storage: Storage;
  readonly #keyring: Keyring;
  readonly #byAppId = new Map<number, Application>();
  readonly #byClientId = new Map<string, Application>();
  readonly #bySecretHash = new Map<string, Application>();
  /** Lent secrets by hash: valid only in this process, until they are returned. */
  readonly #lent = new Map<string, number>();
  /** When a use of a secret was last stored, by hash. */
  readonly #noted = new Map<string, number>();
  #refresh: () => Promise<void> = async () => {};

  constructor(storage: Storage, keyring: Keyring) {
    this.#storage = storage;
    this.#keyring = keyring;
  }

  /** Sets what to do when an application is not found: it may have just been created. */
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

  /** As known in this process, without a query. */
  peek(clientId: string): Application | undefined {
    return this.#byClientId.get(clientId);
  }

  peekById(appId: number): Application | undefined {
    return this.#byAppId.get(appId);
  }

  async findById(appId: number): Promise<Application | undefined> {
    return this.#byAppId.get(appId) ?? (await this.#lookAgain(() => this.#byAppId.get(appId)));
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

  /** For callers that send a secret but no clientId. */
  async findBySecret(clientSecret: string, now: number): Promise<Application | undefined> {
    const hash = this.#keyring.hashSecret(clientSecret);
    const lentBy = this.#lent.get(hash);
    if (lentBy !== undefined) return this.#byAppId.get(lentBy);
    const application = this.#bySecretHash.get(hash) ?? (await this.#lookAgain(() => this.#bySecretHash.get(hash)));
    return application && this.#matches(application, hash, now) ? application : undefined;
  }

  /** Lends a secret that is not stored anywhere and is valid only in this process, while `work` runs. */
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

  /** One small read that concurrent requests share, so that strangers cannot make it expensive. */
  async #lookAgain<T>(find: () => T | undefined): Promise<T | undefined> {
    await this.#refresh();
    return find();
  }

  #matches(application: Application, hash: string, now: number): boolean {
    const found = matches(application, hash, now);
    if (found && now - (this.#noted.get(hash) ?? 0) >= USE_MS) {
      this.#noted.set(hash, now);
      // In the background: nothing depends on it.
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
