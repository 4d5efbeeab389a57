// How much memory V8 and glibc keep for later is set by flags and environment at startup, and cannot be changed
// afterwards. Plain JavaScript that Node 14 can parse.

/**
 * Half of V8's default: under load, the process takes a quarter less memory for the same processor time.
 */
const YOUNG_OBJECTS = '--max-semi-space-size=8';

/**
 * Runs the same command again in this process, before anything is loaded. Not if Node was given flags, because the user
 * wants exactly those and a running profiler would not survive it; nor with a channel to a parent process, which would
 * be lost.
 * @param {Record<string, string | undefined>} above what ends us, for the command that is run again
 */
export function holdLess(above) {
  const { env, execArgv, execPath, platform } = process;
  if (execArgv.length > 0 || /prof|semi.space/.test(env.NODE_OPTIONS || '') || process.connected) return;
  // Windows has no such call, and neither has an older Node.
  if (platform === 'win32' || !process.execve) return;
  const args = [execPath, YOUNG_OBJECTS].concat(process.argv.slice(1));
  // One memory pool for all threads: by default, glibc keeps one for each.
  const settings = Object.assign({ MALLOC_ARENA_MAX: '1' }, env);
  for (const name of Object.keys(above)) if (above[name]) settings[name] = above[name];
  try {
    process.execve(execPath, args, settings);
  } catch {
    // Not allowed here: continue as is.
  }
}
