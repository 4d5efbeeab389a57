// How much memory a process may hold for later is taken from its flags and environment when it starts, and then no more.
// Plain JavaScript that Node 14 can read.

/** Half of V8's own: under load it holds a quarter less in all, for the same processor time (docs/performance.md). */
const YOUNG_OBJECTS = '--max-semi-space-size=8';

/**
 * Runs the same command anew in this process, before anything is loaded. Not where Node was given flags: whoever does wants those
 * alone, and a profiler that is at work does not survive this. Nor where a channel leads to the process above, which would be lost.
 * @param {Record<string, string | undefined>} above what ends us, for the command that is run anew
 */
export function holdLess(above) {
  const { env, execArgv, execPath, platform } = process;
  if (execArgv.length > 0 || /prof|semi.space/.test(env.NODE_OPTIONS || '') || process.connected) return;
  // Windows has no such call, nor has an older Node.
  if (platform === 'win32' || !process.execve) return;
  const args = [execPath, YOUNG_OBJECTS].concat(process.argv.slice(1));
  // One pool for all threads: by itself glibc keeps one for each.
  const settings = Object.assign({ MALLOC_ARENA_MAX: '1' }, env);
  for (const name of Object.keys(above)) if (above[name]) settings[name] = above[name];
  try {
    process.execve(execPath, args, settings);
  } catch {
    // Not allowed here: then it goes on as it is.
  }
}
