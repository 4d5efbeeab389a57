import { readdirSync, readFileSync } from 'node:fs';
import { identityOf } from './open-file.ts';

/** More names would hide the advice. */
const SHOWN = 3;
const MAX_NAME = 80;

/** Other processes that have the file open, if the system shows them: "process 4711 (innkeeper restore …)". */
export function describeFileUsers(path: string): string {
  const identity = identityOf(path);
  const users = numbersIn('/proc')
    .filter((pid) => pid !== process.pid && numbersIn(`/proc/${pid}/fd`).some((fd) => isOpen(pid, fd, identity)))
    .map((pid) => `process ${pid}${commandOf(pid)}`);
  if (users.length === 0) return 'another process';
  const more = users.length > SHOWN ? ` and ${users.length - SHOWN} more` : '';
  return users.slice(0, SHOWN).join(', ') + more;
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    // Another user's process, one that has ended, or a system without /proc.
    return [];
  }
}

function isOpen(pid: number, fd: number, identity: string | undefined): boolean {
  try {
    return identity !== undefined && identityOf(`/proc/${pid}/fd/${fd}`) === identity;
  } catch {
    return false;
  }
}

/** The command with only the start of its arguments, and without the interpreter's path. */
function commandOf(pid: number): string {
  try {
    const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const words = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.split('/').at(-1));
    const name = words
      .slice(0, 3)
      .join(' ')
      .replace(/[^ -~]/g, '?')
      .slice(0, MAX_NAME);
    return name && ` (${name})`;
  } catch {
    return '';
  }
}
