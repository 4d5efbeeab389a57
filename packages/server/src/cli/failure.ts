/** Why a command failed, for the person who ran it, with a suggested fix. Exits with 1. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exitCode: 1 | 2 = 1;
  readonly remedy: string | undefined;
  /** If there are several reasons, one line each. */
  readonly problems: readonly string[];
  /** A longer suggested fix, for people: a table. JSON output has `remedy`. */
  readonly guide: string | undefined;

  constructor(message: string, more: { remedy?: string; problems?: readonly string[]; guide?: string } = {}) {
    super(message);
    this.remedy = more.remedy;
    this.problems = more.problems ?? [];
    this.guide = more.guide;
  }
}

/** A usage error: nothing was tried. Exits with 2. */
export class UsageError extends Failure {
  override name = 'UsageError';
  override readonly exitCode = 2;
}

/** Settings and stored secrets report a problem in one text, whose last sentence is the suggested fix. */
export function splitRemedy(problem: string): { message: string; remedy: string | undefined } {
  const end = problem.lastIndexOf('. ') + 1;
  return end > 0
    ? { message: problem.slice(0, end), remedy: problem.slice(end + 1) }
    : { message: problem, remedy: undefined };
}

const FILE_PROBLEMS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder, not a file',
  EEXIST: 'a file with this name already exists',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'does not exist',
  // Such as /dev/stdin where the parent process connects a socket.
  ENXIO: 'is a socket, not a file',
};

/** What is wrong with a file, worded to follow its name; undefined for other kinds of error. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = String(error.code);
  return Object.hasOwn(FILE_PROBLEMS, code) ? FILE_PROBLEMS[code] : undefined;
}
