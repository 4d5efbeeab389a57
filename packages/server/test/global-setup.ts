import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A real PostgreSQL for the whole run: the URL of its maintenance database. */
    postgresUrl: string;
    /** A folder for the whole run, removed at its end. */
    scratchFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchFolder = await mkdtemp(join(tmpdir(), 'innkeeper-tests-'));
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../portal/build.js')]);
  // Never skipped: where PostgreSQL cannot be started, the run fails here.
  const postgres = await startPostgres();
  project.provide('postgresUrl', postgres.url('postgres'));
  project.provide('scratchFolder', scratchFolder);
  return async () => {
    await postgres.stop();
    await rm(scratchFolder, { recursive: true, force: true });
  };
}
