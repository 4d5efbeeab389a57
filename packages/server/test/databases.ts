import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { inject } from 'vitest';
import { type CitusCluster, copyTemplate, executeInHomes } from './citus-cluster.ts';
import { createDatabase } from './postgres-server.ts';
import { scratchFile } from './scratch-file.ts';

export type Database = {
  kind: 'sqlite' | 'postgres';
  /** A cluster, whose user tables are split into homes. */
  isDistributed?: true;
  /** The URL of a new database for a service, without any data. */
  fresh(): Promise<string>;
  /** The same without tables, for tests of migrations. */
  empty(): Promise<string>;
  /**
   * Runs SQL behind the service's back, for states that the port cannot produce. Both databases have the same table
   * names.
   */
  execute(url: string, sql: string): Promise<void>;
};

const both: Database[] = [
  {
    kind: 'sqlite',
    async fresh() {
      const path = scratchFile('db');
      await copyFile(inject('sqliteTemplate'), path);
      return `sqlite:${path}`;
    },
    empty: async () => `sqlite:${scratchFile('db')}`,
    async execute(url, sql) {
      const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5000 });
      try {
        database.exec(sql);
      } finally {
        database.close();
      }
    },
  },
  {
    kind: 'postgres',
    fresh: () => newDatabase(inject('postgresTemplate')),
    empty: () => newDatabase(),
    async execute(url, sql) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    },
  },
];

/** The same on a cluster: `execute` runs on the tables of every home. */
const cluster: Database = {
  kind: 'postgres',
  isDistributed: true,
  fresh: () => copyTemplate(inject('citus') as CitusCluster, `test_${randomBytes(8).toString('hex')}`),
  empty: () => newDatabase(),
  execute: executeInHomes,
};

/** For `describe.each`. */
export const databases: Database[] = inject('citus') === null ? both : [cluster];

/** Copying the template creates the tables at no extra cost. */
async function newDatabase(template?: string): Promise<string> {
  const url = new URL(inject('postgresUrl'));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createDatabase(url.href, name, template);
  url.pathname = `/${name}`;
  return url.href;
}

/** For tests where both behave the same. */
export const [sqlite, postgres] = both as [Database, Database];
