#!/usr/bin/env node
// Runs the service on a Node that is new enough, whichever Node this was started with.

import module from 'node:module';
import { endWithLauncher, npmScript } from './end-with-npm.js';
import { holdLess } from './hold-less.js';
import { compileCacheFolder, findPinnedNode, isNewEnough, runOn, sayWhatToDo } from './runtime.js';

// Set on the re-run to the process that made it, so that a pinned Node that is not new enough either ends in a message,
// not a loop.
const RERUN_MARK = 'INNKEEPER_RERUN';

if (isNewEnough()) {
  const launcher = process.env[RERUN_MARK];
  delete process.env[RERUN_MARK];
  if (process.argv[2] === 'serve') holdLess({ npm_lifecycle_script: npmScript, [RERUN_MARK]: launcher });
  if (launcher) endWithLauncher(launcher);
  // Half of the startup time is compiling. The cache is next to the packages, never in a folder that others can write
  // to. Threads get it from the environment: without it, each would load the compiler that strips types.
  process.env.NODE_COMPILE_CACHE ??= compileCacheFolder();
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  import('./entry.js')
    .then(({ entry }) => import(entry()))
    .catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
} else {
  const node = process.env[RERUN_MARK] ? undefined : findPinnedNode();
  if (node) runOn(node, process.execArgv.concat(process.argv.slice(1)), { [RERUN_MARK]: String(process.pid) });
  else sayWhatToDo();
}
