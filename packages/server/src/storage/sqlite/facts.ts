import type { Connection } from './connection.ts';

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
