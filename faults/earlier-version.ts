import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCatalog } from '../bench/catalog.ts';
import type { NewApplication } from '../packages/server/src/domain/applications/application.ts';
import { LATEST_MIGRATION } from '../packages/server/src/storage/sqlite/migrations.ts';
import { SECRET } from '../packages/server/test/http/start.ts';
import { CannotRun } from './campaign.ts';

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '..');
const MIGRATIONS = 'packages/server/src/storage/sqlite/migrations.ts';
/** How many changes of the migrations to check, the latest first. */
const LOOKED_AT = 5;

export type EarlierVersion = {
  bin: string;
  /** The commit, and how many migrations it has. */
  title: string;
  /** A command of that version. */
  run(databaseUrl: string, ...args: string[]): Promise<unknown>;
  /** An application with the catalog of the benchmark, created by that version in a new database. */
  setStage(databaseUrl: string): Promise<NewApplication>;
};

/** The latest state of this repository with fewer migrations than now, using the packages installed for this one. */
export async function unpackEarlierVersion(folder: string): Promise<EarlierVersion> {
  for (const commit of await commitsBeforeMigrations()) {
    const { known, ...version } = await versionAt(commit, folder);
    if (known < LATEST_MIGRATION) return version;
  }
  throw new CannotRun('needs a history in which there were fewer migrations: git fetch --unshallow');
}

/** `known`: how many migrations it has. */
export async function versionAt(commit: string, folder: string): Promise<EarlierVersion & { known: number }> {
  const place = join(folder, commit);
  await unpack(commit, place);
  const { LATEST_MIGRATION: known } = (await import(join(place, MIGRATIONS))) as { LATEST_MIGRATION: number };
  const bin = join(place, 'packages/server/bin/innkeeper.js');
  return {
    bin,
    known,
    title: `${commit.slice(0, 7)} with ${known} of ${LATEST_MIGRATION} migrations`,
    run: (databaseUrl, ...args) => innkeeper(bin, databaseUrl, ...args),
    setStage: (databaseUrl) => setStage(bin, databaseUrl, folder),
  };
}

async function commitsBeforeMigrations(): Promise<string[]> {
  try {
    const format = ['--format=%P', `-${LOOKED_AT}`, '--', MIGRATIONS];
    const { stdout } = await run('git', ['log', ...format], { cwd: REPOSITORY });
    return stdout.split(/\s+/).filter((parent) => parent !== '');
  } catch {
    throw new CannotRun('needs the history of this repository: a clone by git');
  }
}

async function unpack(commit: string, place: string): Promise<void> {
  await mkdir(place, { recursive: true });
  const archive = join(place, '..', `${commit}.tar`);
  try {
    await run('git', ['archive', '-o', archive, commit], { cwd: REPOSITORY });
  } catch {
    throw new CannotRun('needs the history of this repository: git fetch --unshallow');
  }
  await run('tar', ['-xf', archive, '-C', place]);
  for (const packages of ['node_modules', 'packages/server/node_modules']) {
    if (existsSync(join(REPOSITORY, packages))) await symlink(join(REPOSITORY, packages), join(place, packages));
  }
}

async function setStage(bin: string, databaseUrl: string, folder: string): Promise<NewApplication> {
  const created = await innkeeper(bin, databaseUrl, 'app', 'create', '--name', 'Faults');
  const application = JSON.parse(created.stdout) as NewApplication;
  const file = join(folder, 'catalog.json');
  await writeFile(file, JSON.stringify(makeCatalog()));
  await innkeeper(bin, databaseUrl, 'catalog', 'apply', file, '--app', application.clientId);
  return application;
}

function innkeeper(bin: string, databaseUrl: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET };
  return run(process.execPath, [bin, ...args, '--json'], { env });
}
