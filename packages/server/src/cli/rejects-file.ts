import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import type { Rejection } from '../domain/users/import-users.ts';
import { UsageError } from './failure.ts';
import { fileProblem } from './file-problem.ts';
import type { OpenInput } from './open-input.ts';
import { refuseDatabaseFile } from './refuse-database-file.ts';

const FLUSH_AT = 64 * 1024;

/** Rejected lines as NDJSON. Written immediately, not queued: a file of nothing but rejects takes no memory. */
export class RejectsFile implements Disposable {
  readonly #file: number;
  #waiting = '';

  constructor(path: string) {
    refuseDatabaseFile(`--rejects ${path}`, path);
    try {
      // It contains personal data, so only the owner may read it.
      this.#file = openSync(path, 'w', 0o600);
    } catch (error) {
      const problem = fileProblem(error);
      if (!problem) throw error;
      throw new UsageError(`--rejects ${path}: ${problem}.`, { wayOut: 'Choose a writable file.' });
    }
  }

  add(rejection: Rejection): void {
    this.#waiting += `${JSON.stringify(rejection)}\n`;
    if (this.#waiting.length >= FLUSH_AT) this.#flush();
  }

  [Symbol.dispose](): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#waiting = '';
  }
}

export function isSameFile(path: string, { identity }: OpenInput): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.dev === identity.dev && stats.ino === identity.ino;
}
