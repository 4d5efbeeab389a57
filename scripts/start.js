// npm start [-- FLAGS]: builds what has changed, then serves with the demo application.

import '../packages/server/bin/end-with-npm.js';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const built = spawnSync(process.execPath, [here('on-pinned-node.js'), here('build.js')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);

// A re-run on the pinned Node, and workers, are started with this name and these arguments.
const bin = here('../packages/server/bin/innkeeper.js');
process.argv.splice(1, 1, bin, 'serve', '--demo');
await import('../packages/server/bin/innkeeper.js');
