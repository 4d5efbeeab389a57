// npm (npx innkeeper, npm start) runs us in a shell and passes signals to that shell, which keeps them to itself and ends;
// a hang-up ends npm alone. Either way we would go on serving. Where the shell has only us to wait for, nothing else ends
// it or npm before us: so their end is taken for the signal. Plain JavaScript that Node 14 can read.

import { readFileSync } from 'node:fs';

/** A script that does more, such as leaving us in the background, is not among these. */
const US_ALONE = /^(["']?innkeeper["']?|node scripts\/start\.js)(\s[^&|;\n]*)?$/;
const LOOK_MS = 500;

/** What npm ran, if it runs us alone: who takes the place of this process needs to know it too. */
export const npmScript = US_ALONE.test(process.env.npm_lifecycle_script || '')
  ? process.env.npm_lifecycle_script
  : undefined;

if (npmScript) {
  // What we start has us to end it.
  delete process.env.npm_lifecycle_script;
  const above = whoIsAbove();
  endWhen(() => whoIsAbove() !== above);
}

/**
 * An older Node that runs us in its place (runtime.js) passes signals on, but not the one that kills it.
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

/** The shell, and npm above it where the system tells. A shell may also have become us: then npm is all there is. */
function whoIsAbove() {
  try {
    const [, name, npm] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    return name.startsWith('npm') ? `${process.ppid}` : `${process.ppid} ${npm}`;
  } catch {
    return `${process.ppid}`;
  }
}
