// How much memory a process may hold for later is taken from its flags and environment when it starts, and then no more.
// Plain JavaScript that Node 14 can read.

/** Half of V8's own: under load it holds a quarter less in all, for the same processor time (docs/performance.md). */
const YOUNG_OBJECTS = '--max-semi-space-size';
const MEGABYTES = 8;

/**
 * Runs the same command anew in this process, before anything is loaded, unless it has these flags or others were given.
 * @param {string | undefined} npmScript
 */
export function holdLess(npmScript) {
  const { env, execArgv, execPath, platform } = process;
  const given = execArgv
    .concat(env.NODE_OPTIONS || '')
    .join(' ')
    .replace(/_/g, '-');
  // A channel to the process above does not outlive this. Windows has no such call, nor has an older Node.
  if (platform === 'win32' || !process.execve || process.connected || given.includes(YOUNG_OBJECTS)) return;
  const args = [execPath, `${YOUNG_OBJECTS}=${MEGABYTES}`].concat(execArgv, process.argv.slice(1));
  // One pool for all threads: by itself glibc keeps one for each.
  const settings = Object.assign({ MALLOC_ARENA_MAX: '1' }, env, npmScript && { npm_lifecycle_script: npmScript });
  try {
    process.execve(execPath, args, settings);
  } catch {
    // Not allowed here: then it goes on as it is.
  }
}
