import { ConfigError } from '../config.ts';
import { WrongSecret } from '../domain/check-secret.ts';
import { ClockWrong } from '../domain/clock.ts';
import { RAISE_FILE_LIMIT } from '../open-file-limit.ts';
import {
  DatabaseDamaged,
  DatabaseHardLinked,
  DatabaseRefused,
  DatabaseUrlInvalid,
  StorageUnavailable,
} from '../storage/port.ts';
import { hardLinkSteps, RESTORE_STEPS } from '../storage/problems.ts';
import { Failure, fileProblem, splitRemedy, UsageError } from './failure.ts';

const CHECK_POSTGRES =
  'Check INNKEEPER_DATABASE_URL (host, port, user, password, database name), and that PostgreSQL is running and its disk has space; `innkeeper doctor` tells you more.';
const CHECK_SQLITE =
  'Check INNKEEPER_DATABASE_URL, that the disk has space, and that this user may write to the file, its -wal and -shm files and their folder (`ls -la`); `innkeeper doctor` tells you more.';
const CHECK_PATH = 'Check the path in INNKEEPER_DATABASE_URL and its permissions.';
const FILE_STEPS: Record<string, string> = {
  ENOSPC: 'Free space on that disk, then try again.',
  EROFS: 'Mount it read-write, or set INNKEEPER_DATABASE_URL to another place.',
};

const WRITE_ADDRESS =
  'Write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with / as %2F, @ as %40 and # as %23 in the password.';
const LISTEN_ELSEWHERE = 'Choose another address with --host and --port; `innkeeper doctor` shows what is using it.';

/** Any error as a message for the user; undefined for a bug, which keeps its stack. */
export function explainError(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) {
    const [only, ...more] = error.problems;
    if (only !== undefined && more.length === 0) return toFailure(UsageError, only);
    return new UsageError('invalid settings:', { problems: error.problems });
  }
  if (error instanceof WrongSecret || error instanceof ClockWrong || isFromNewerVersion(error))
    return toFailure(Failure, error.message);
  if (error instanceof DatabaseUrlInvalid) {
    return new UsageError('INNKEEPER_DATABASE_URL is not a valid URL.', { remedy: WRITE_ADDRESS });
  }
  if (error instanceof DatabaseDamaged) {
    return new Failure(error.message, { remedy: `${RESTORE_STEPS} \`innkeeper doctor --deep\` lists the damage.` });
  }
  if (error instanceof DatabaseHardLinked) return new Failure(error.message, { remedy: hardLinkSteps(error.path) });
  if (error instanceof DatabaseRefused) return new Failure(error.message, { remedy: error.remedy });
  if (error instanceof StorageUnavailable) {
    return new Failure(`the database cannot be used: ${error.message}`, {
      remedy: readOnlySteps(error) ?? (error.message.startsWith('PostgreSQL') ? CHECK_POSTGRES : CHECK_SQLITE),
    });
  }
  if (isSqliteError(error)) {
    return new Failure(`the database cannot be used: ${error.errstr ?? error.message}`, { remedy: CHECK_SQLITE });
  }
  if (isFullTable(error)) {
    return new Failure('the limit of open files and connections is reached (EMFILE).', { remedy: RAISE_FILE_LIMIT });
  }
  if (isListenError(error)) {
    const problem = LISTEN_PROBLEMS[error.code] ?? error.code;
    return new Failure(`cannot listen on ${error.address}:${error.port}: ${problem}`, { remedy: LISTEN_ELSEWHERE });
  }
  if (isUnknownHost(error)) {
    const problem = `unknown host name (${error.code})`;
    return new Failure(`cannot listen on ${error.hostname}: ${problem}`, { remedy: LISTEN_ELSEWHERE });
  }
  if (isFileError(error)) {
    return new Failure(`${error.path}: ${fileProblem(error)}`, { remedy: FILE_STEPS[error.code] ?? CHECK_PATH });
  }
  return undefined;
}

function toFailure(Kind: typeof Failure, problem: string): Failure {
  const { message, remedy } = splitRemedy(problem);
  return new Kind(message, remedy === undefined ? {} : { remedy });
}

const LISTEN_PROBLEMS: Record<string, string> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'not an address of this machine',
};

function isFullTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

function isListenError(error: unknown): error is Error & { code: string; address: string; port: number } {
  // For workers, which share the port, it is the bind that fails.
  return error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind');
}

/** Only host names to listen on are explained here; the database and the token service explain their own. */
function isUnknownHost(error: unknown): error is Error & { code: string; hostname: string } {
  return error instanceof Error && 'syscall' in error && error.syscall === 'getaddrinfo' && 'hostname' in error;
}

export function isFromNewerVersion(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('This database was last used by a newer Innkeeper');
}

function isFileError(error: unknown): error is Error & { path: string; code: string } {
  return error instanceof Error && 'path' in error && fileProblem(error) !== undefined;
}

function isSqliteError(error: unknown): error is Error & { errstr?: string } {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

/** The suggested fix if PostgreSQL is read-only; undefined for any other error. */
export function readOnlySteps(error: unknown): string | undefined {
  if (!(error instanceof Error && error.message.endsWith('in a read-only transaction'))) return undefined;
  return 'PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on. Point INNKEEPER_DATABASE_URL to the primary (several hosts can be listed), or switch the setting off.';
}
