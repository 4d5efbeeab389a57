import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { messageOf } from './caught.ts';
import type { Config } from './config.ts';
import { SECRET_FACT } from './domain/check-secret.ts';
import type { Keyring } from './domain/keyring.ts';
import { previousSecretPath, putSecretBack, readPreviousSecret, readSecretFile, recoverSecret } from './secret-file.ts';
import type { Problem, Storage } from './storage/port.ts';

const EVERY_MS = 5_000;
const OUTDATED =
  'INNKEEPER_SECRET was rotated, and this process has only the previous one. Restart it with the new secret as INNKEEPER_SECRET.';

/**
 * Uses a rotated secret as soon as the database does (`follow`), and guards the secret file. A deleted or changed file
 * would otherwise be noticed only at the next start, when the secret is lost: a deleted file is written again, and next
 * to a changed one the right secret is saved. A new secret written by `innkeeper secret rotate`, with the current one
 * next to it, is used from then on.
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

  /** Switches to the secret that the database uses now, for sealing new data. */
  async follow({ facts }: Pick<Storage, 'facts'>): Promise<void> {
    const { master } = this.#keyring;
    const check = await facts.get(SECRET_FACT);
    // A database without this fact has never been rotated.
    if (check === undefined) return;
    const state = master.adopt(check);
    master.isOutdated = state === undefined;
    this.#isUnderPrevious = state?.under === 'previous';
  }

  look(): void {
    const { databaseUrl, secretFile } = this.#config;
    // Write nothing if the folder was moved or removed.
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
      this.#problem = `${secretFile} cannot be read or written (${messageOf(error)}), and the next start may fail. Do not stop the service before the file is readable and has its content again.`;
    }
  }

  problems(): Problem[] {
    if (this.#keyring.master.isOutdated) return [{ kind: 'secret', message: OUTDATED, effect: 'down' }];
    return this.#problem === undefined ? [] : [{ kind: 'secret', message: this.#problem, effect: 'none' }];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** True if the file has a new secret since the last check. */
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
