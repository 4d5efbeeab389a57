import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { SECRET_FACT } from './domain/check-secret.ts';
import type { Keyring } from './domain/keyring.ts';
import { previousSecretPath, putSecretBack, readPreviousSecret, readSecretFile, recoverSecret } from './secret-file.ts';
import type { Problem, Storage } from './storage/port.ts';

const EVERY_MS = 5_000;
const OUTDATED =
  'INNKEEPER_SECRET was rotated, and this process has only the previous one. Restart it with the new secret as INNKEEPER_SECRET.';

/**
 * Follows the secret of the database while it is rotated (`follow`), and looks after its file. A secret file that was deleted or changed
 * would be noticed at the next start, when nobody has the secret any more: a deleted one is written again; beside one with other content,
 * the right secret is put. A new one that `innkeeper secret rotate` put there, with this one beside it, is used from then on.
 */
export class SecretWatch {
  readonly #config: Config;
  readonly #keyring: Keyring;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #secret: string;
  #previous: string;
  #isUnderPrevious = false;
  #problem: string | undefined;

  constructor(config: Config, keyring: Keyring, logger: Logger) {
    this.#config = config;
    this.#keyring = keyring;
    this.#logger = logger;
    this.#secret = config.secret;
    this.#previous = config.secretPrevious;
    keyring.master.onMiss = () => this.#takeOver();
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
  }

  /** Seals new data under the secret that the database is under now. */
  async follow({ facts }: Pick<Storage, 'facts'>): Promise<void> {
    const { master } = this.#keyring;
    const check = await facts.get(SECRET_FACT);
    // A database without the fact says nothing of a rotation.
    if (check === undefined) return;
    const state = master.adopt(check);
    master.isOutdated = state === undefined;
    this.#isUnderPrevious = state?.under === 'previous';
  }

  look(): void {
    const { databaseUrl, secretFile } = this.#config;
    // A folder that was moved or removed gets no file from us.
    if (secretFile === undefined || !existsSync(databaseUrl.slice('sqlite:'.length))) return;
    try {
      this.#takeOver();
      if (putSecretBack(secretFile, this.#secret))
        this.#logger.warn(`${secretFile} was missing and has been written again`);
      const previousFile = previousSecretPath(secretFile);
      if (this.#isUnderPrevious && this.#previous !== '' && putSecretBack(previousFile, this.#previous))
        this.#logger.warn(`${previousFile} was missing and has been written again`);
      const recovered = recoverSecret(secretFile, this.#secret);
      this.#problem =
        recovered &&
        `${secretFile} no longer contains the secret of this database, and the next start would fail. The right secret is in ${recovered}. Run: mv ${recovered} ${secretFile}`;
    } catch (error) {
      this.#problem = `${secretFile} cannot be read or written (${(error as Error).message}), and the next start may fail. Do not stop the service before the file is readable and has its content again.`;
    }
  }

  problems(): Problem[] {
    if (this.#keyring.master.isOutdated) return [{ kind: 'secret', message: OUTDATED, effect: 'down' }];
    return this.#problem === undefined ? [] : [{ kind: 'secret', message: this.#problem, effect: 'none' }];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** True if the file has a new secret since the last look. */
  #takeOver(): boolean {
    const { secretFile } = this.#config;
    if (secretFile === undefined || !existsSync(secretFile)) return false;
    const [secret, previous] = [readSecretFile(secretFile), readPreviousSecret(secretFile)];
    if (secret === this.#secret || previous !== this.#secret) return false;
    this.#keyring.master.use(secret, previous);
    [this.#secret, this.#previous] = [secret, previous];
    return true;
  }
}
