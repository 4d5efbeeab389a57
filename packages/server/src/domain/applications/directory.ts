import { timingSafeEqual } from 'node:crypto';
import type { ApplicationRecord, Storage } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';
import { type Application, isLive } from './application.ts';
import { allowsOrigin, completeSettings } from './settings.ts';

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
    for (const appId of [...this.#byAppId.keys()]) this.#forget(appId);
    for (const record of records) this.#remember(record);
  }

  async reload(appIds: readonly number[]): Promise<void> {
    const records = await this.#storage.applications.list(appIds);
    for (const appId of appIds) this.#forget(appId);
    for (const record of records) this.#remember(record);
  }

  async findByClientId(clientId: string): Promise<Application | undefined> {
    return this.#byClientId.get(clientId) ?? (await this.#lookAgain(() => this.#byClientId.get(clientId)));
  }

  async hasSecret(application: Application, clientSecret: string, now: number): Promise<boolean> {
    const hash = this.#keyring.hashSecret(clientSecret);
    if (matches(application, hash, now)) return true;
    const again = await this.#lookAgain(() => this.#byAppId.get(application.appId));
    return again !== undefined && matches(again, hash, now);
  }

  /** For callers that send a secret and no clientId. */
  async findBySecret(clientSecret: string, now: number): Promise<Application | undefined> {
    const hash = this.#keyring.hashSecret(clientSecret);
    const application = this.#bySecretHash.get(hash) ?? (await this.#lookAgain(() => this.#bySecretHash.get(hash)));
    return application && matches(application, hash, now) ? application : undefined;
  }

  /** Whether any application lets this origin in: all that can be asked before the apiKey is known. */
  allowsOrigin(origin: string): boolean {
    for (const { settings } of this.#byAppId.values()) {
      if (allowsOrigin(settings, origin)) return true;
    }
    return false;
  }

  /** One small read that all requests of the moment share, so strangers cannot make it costly. */
  async #lookAgain<T>(find: () => T | undefined): Promise<T | undefined> {
    await this.#refresh();
    return find();
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
