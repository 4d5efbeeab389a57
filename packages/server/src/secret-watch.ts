import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { putSecretBack, recoverSecret } from './secret-file.ts';
import type { Problem } from './storage/port.ts';

const EVERY_MS = 5_000;

/**
 * A secret file that was deleted or changed would be noticed at the next start, when nobody has the secret any more. A deleted one is
 * written again; beside one with other content, the right secret is put.
 */
export class SecretWatch {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #problem: string | undefined;

  constructor(config: Config, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
  }

  look(): void {
    const { databaseUrl, secret, secretFile } = this.#config;
    // A folder that was moved or removed gets no file from us.
    if (secretFile === undefined || !existsSync(databaseUrl.slice('sqlite:'.length))) return;
    try {
      if (putSecretBack(secretFile, secret)) this.#logger.warn(`${secretFile} was missing and has been written again`);
      const recovered = recoverSecret(secretFile, secret);
      this.#problem =
        recovered &&
        `${secretFile} no longer contains the secret of this database, and the next start would fail. The right secret is in ${recovered}. Run: mv ${recovered} ${secretFile}`;
    } catch (error) {
      this.#problem = `${secretFile} cannot be read or written (${(error as Error).message}), and the next start may fail. Do not stop the service before the file is readable and has its content again.`;
    }
  }

  problems(): Problem[] {
    return this.#problem === undefined ? [] : [{ kind: 'secret', message: this.#problem, effect: 'none' }];
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
