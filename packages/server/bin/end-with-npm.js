// npm (npx innkeeper, npm start) runs us in a shell and passes signals to that shell, which ends without passing them
// on; a hang-up ends only npm. Either way we would keep serving. If the shell runs nothing but us, nothing else ends it
// or npm before us: so when they end, we do too. Plain JavaScript that Node 14 can parse.

import { readFileSync } from 'node:fs';

/** Excludes a script that does more, such as leaving us in the background. */
const US_ALONE = /^(["']?innkeeper["']?|node scripts\/start\.js)(\s[^&|;\n]*)?$/;
const LOOK_MS = 500;

/** What npm ran, if it runs only us: a process that replaces this one needs it too. */
export const npmScript = US_ALONE.test(process.env.npm_lifecycle_script || '')
  ? process.env.npm_lifecycle_script
  : undefined;

if (npmScript) {
  // Our own children are ended by us.
  delete process.env.npm_lifecycle_script;
  const above = whoIsAbove();
  endWhen(() => whoIsAbove() !== above);
}

/**
 * An older Node that runs us in its place (runtime.js) passes signals on, but not SIGKILL.
 * @param {string} pid
 */
export function endWithLauncher(pid) {
  endWhen(() => String(process.ppid) !== pid);
}

/** @param {() => boolean} isOver */
function endWhen(isOver) {
  const watch = setInterval(() => {
    if (!isOver()) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  watch.unref();
}

/** The shell, and npm above it if the system says so. The shell may have been replaced by us: then npm is our parent. */
function whoIsAbove() {
  try {
    const [, name, npm] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    return name.startsWith('npm') ? `${process.ppid}` : `${process.ppid} ${npm}`;
  } catch {
    return `${process.ppid}`;
  }
}
