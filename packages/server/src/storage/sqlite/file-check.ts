import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../caught.ts';
import type { Connection } from './connection.ts';
import { isDamage } from './errors.ts';

/** As many as a message can show; SQLite itself stops at 100 per statement. */
const MAX_FINDINGS = 20;

/** What one statement checks, and what it found: empty if all is well. */
export type CheckStep = { what: string; run(): string[] };

/**
 * The steps that look for damage, one statement each, so that the caller can pause or report in between. SQLite keeps
 * no page checksums (node:sqlite has no cksumvfs): a value that changed into another valid value goes unnoticed, but
 * anything that breaks the structure or the consistency between tables is found. `deep` also compares every index with
 * its table and every user with its profile.
 */
export function checkSteps(database: DatabaseSync, { deep }: { deep: boolean }): CheckStep[] {
  const tables = database
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' escape '~' order by name`,
    )
    .all()
    .map(({ name }) => name as string);
  const step = (what: string, find: () => string[]): CheckStep => ({ what, run: () => findDamage(what, find) });
  const pragma = (sql: string) => () =>
    database
      .prepare(`pragma ${sql}`)
      .all()
      // One row may have several lines, after a heading.
      .flatMap((row) => String(Object.values(row)[0]).split('\n'))
      .filter((finding) => finding !== 'ok' && !finding.startsWith('***'));
  return [
    // The structure of all pages, including free ones.
    step('pages', pragma('quick_check')),
    ...(deep ? tables.map((table) => step(`indexes of ${table}`, pragma(`integrity_check("${table}")`))) : []),
    ...tables.map((table) => step(`references of ${table}`, () => brokenReferences(database, table))),
    step('users and profiles', () => (deep ? usersWithoutProfile(database) : moreUsersThanProfiles(database))),
  ];
}

export function runChecks(steps: readonly CheckStep[], onStep: (what: string, done: number) => void): string[] {
  const findings: string[] = [];
  for (const [done, { what, run }] of steps.entries()) {
    onStep(what, done);
    findings.push(...run());
  }
  return findings.slice(0, MAX_FINDINGS);
}

/** Damage may stop the check itself: that is a finding too, and SQLite's message does not say where. */
function findDamage(what: string, find: () => string[]): string[] {
  try {
    return find();
  } catch (error) {
    if (isDamage(error)) return [`${what}: ${messageOf(error)}`];
    throw error;
  }
}

function brokenReferences(database: DatabaseSync, table: string): string[] {
  const broken = database
    .prepare('select "parent" as parent, count(*) as n from pragma_foreign_key_check(?) group by 1')
    .all(table);
  return broken.map(({ parent, n }) => `${n} rows of ${table} refer to rows of ${parent} that do not exist`);
}

/** Profiles without a user are allowed (an import can create them), users without a profile are not. */
function moreUsersThanProfiles(database: DatabaseSync): string[] {
  const { users, profiles } = database
    .prepare('select (select count(*) from users) as users, (select count(*) from profiles) as profiles')
    .get() as { users: number; profiles: number };
  return users > profiles ? [`${users} users have only ${profiles} profiles`] : [];
}

function usersWithoutProfile(database: DatabaseSync): string[] {
  const { n } = database
    .prepare(
      `select count(*) as n from users u where not exists (select 1 from profiles p
         where p.app_id = u.app_id and p.client_user_id = u.client_user_id and p.user_id = u.user_id)`,
    )
    .get() as { n: number };
  return n === 0 ? [] : [`${n} users have no profile of their own`];
}

/** The last check of the whole file (damage-watch.ts), kept as a fact. Without `finishedAt` it is in progress. */
export type FileCheck = { startedAt: number; finishedAt?: number; findings: string[] };

const FILE_CHECK = 'file-check';
/** A process that claimed a check and has not finished by then has ended. */
const CLAIM_MS = 6 * 3_600_000;
const GET = 'select value from facts where name = ?';
const PUT = `insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`;

export function fileCheckReads(connection: Connection) {
  return {
    async lastFileCheck(): Promise<FileCheck | undefined> {
      return readFileCheck(connection);
    },
  };
}

export function factActs(connection: Connection) {
  return {
    /**
     * True for the one process that should check the file now. Stored times may be from a clock that was set back
     * since.
     */
    claimFileCheck(now: number, everyMs: number): boolean {
      const last = readFileCheck(connection);
      if (last) {
        const { startedAt, finishedAt } = last;
        const dueMs = finishedAt === undefined ? CLAIM_MS : everyMs;
        if (Math.abs(now - (finishedAt ?? startedAt)) < dueMs) return false;
      }
      const { findings = [] } = last ?? {};
      connection.statement(PUT).run(FILE_CHECK, JSON.stringify({ startedAt: now, findings } satisfies FileCheck));
      return true;
    },
    recordFileCheck(check: FileCheck): void {
      connection.statement(PUT).run(FILE_CHECK, JSON.stringify(check));
    },
  };
}

export function readFileCheck(connection: Connection): FileCheck | undefined {
  const value = connection.value<string | undefined>(GET, FILE_CHECK);
  return value === undefined ? undefined : JSON.parse(value);
}
