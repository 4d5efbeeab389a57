import { readFileSync } from 'node:fs';

/** Each client connection needs a file descriptor; threads and database connections need several. */
const WANTED = 1_024;
export const RAISE_FILE_LIMIT = `Allow at least ${WANTED}, preferably 65536: LimitNOFILE in a systemd unit, --ulimit nofile with Docker, ulimit -n in a shell.`;

/**
 * What is wrong, then what to do; undefined if the limit is high enough or unknown. Node raises the soft limit to the
 * hard one.
 */
export function openFileProblem(): string | undefined {
  const limit = readLimit();
  if (limit === undefined || limit >= WANTED) return undefined;
  return `This process can have only ${limit} files and connections open at once: more clients than that cannot connect. ${RAISE_FILE_LIMIT}`;
}

function readLimit(): number | undefined {
  try {
    const hard = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return hard === undefined ? undefined : Number(hard);
  } catch {
    // Not Linux, or no file can be opened at all.
    return undefined;
  }
}
