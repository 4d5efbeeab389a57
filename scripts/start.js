// npm start [-- FLAGS]: builds what has changed, then serves with the demo application.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const built = spawnSync(process.execPath, [here('on-pinned-node.js'), here('build.js')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);

// The shell that npm runs this in keeps signals to itself: whoever ends it means the service.
const shell = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === shell) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, 500).unref();

process.argv.splice(2, 0, 'serve', '--demo');
await import('../packages/server/bin/innkeeper.js');
