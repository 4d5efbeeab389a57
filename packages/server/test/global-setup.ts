import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { storageDriver } from '../src/storage/open.ts';
import { chromiumHere } from './browser.ts';
import { type CitusCluster, startCitus } from './citus-cluster.ts';
import { createDatabase, type PostgresServer, startPostgres } from './postgres-server.ts';
import { roomInMemory } from './room-in-memory.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The maintenance database of this run's PostgreSQL, or of the one in INNKEEPER_TEST_POSTGRES_URL. */
    postgresUrl: string;
    /** A database there with this version's empty tables. Nothing connects to it, so that it can be copied. */
    postgresTemplate: string;
    /** The same as a SQLite file. */
    sqliteTemplate: string;
    /** With INNKEEPER_TEST_CITUS set: the cluster that replaces both databases. */
    citus: CitusCluster | null;
    /** Deleted at the end of the run. */
    scratchFolder: string;
    /** The WebSocket endpoints of the browsers for the tests in e2e/, one for each worker. */
    browserUrls: string[];
  }
}

/** The tests that need a browser. */
const LOOKS_AT_PAGES = join(import.meta.dirname, '../../../e2e');

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchFolder = await mkdtemp(join((await roomInMemory(4)) ?? tmpdir(), 'innkeeper-tests-'));
  project.provide('scratchFolder', scratchFolder);
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../../scripts/build.js')]);
  // Nothing is skipped: if PostgreSQL or Chromium cannot start, the run fails here.
  const given = process.env.INNKEEPER_TEST_POSTGRES_URL;
  const postgres = given === undefined ? await startPostgres() : undefined;
  const postgresUrl = given ?? (postgres as PostgresServer).url('postgres');
  project.provide('postgresUrl', postgresUrl);
  project.provide('postgresTemplate', await makeTemplate(postgresUrl));
  const sqliteTemplate = join(scratchFolder, 'template.db');
  await (await storageDriver(`sqlite:${sqliteTemplate}`)).migrate();
  noteFileCheck(sqliteTemplate);
  project.provide('sqliteTemplate', sqliteTemplate);
  const bin = process.env.INNKEEPER_TEST_CITUS;
  const citus = bin === undefined ? null : await startCitus(bin);
  project.provide('citus', citus && { urls: citus.urls, template: citus.template });
  const looking = project.vitest.state.getPaths().filter((path) => path.startsWith(LOOKS_AT_PAGES));
  const browsers: BrowserServer[] = [];
  // One by one, because the first may have to install it. Each worker has its own, because a browser has one clipboard.
  while (browsers.length < Math.min(looking.length, project.config.maxWorkers)) {
    browsers.push(await chromium.launchServer(await chromiumHere()));
  }
  project.provide(
    'browserUrls',
    browsers.map((each) => each.wsEndpoint()),
  );
  return async () => {
    for (const browser of browsers) await browser.close();
    await postgres?.stop();
    await citus?.stop();
    await rm(scratchFolder, { recursive: true, force: true });
  };
}

/**
 * Marks the file as checked today. Otherwise every service that runs for some seconds would check its file, in a
 * thread.
 */
function noteFileCheck(path: string): void {
  const database = new DatabaseSync(path);
  const check = { startedAt: Date.now(), finishedAt: Date.now(), findings: [] };
  database.prepare("insert into facts (name, value) values ('file-check', ?)").run(JSON.stringify(check));
  database.close();
}

async function makeTemplate(postgresUrl: string): Promise<string> {
  const name = `template_${randomBytes(8).toString('hex')}`;
  await createDatabase(postgresUrl, name);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  await (await storageDriver(url.href)).migrate();
  return name;
}
