#!/usr/bin/env node
// Runs src/main.ts on a Node that is new enough, whichever Node this was started with.

import module from 'node:module';
import { compileCacheFolder, findPinnedNode, isNewEnough, runOn, sayWhatToDo } from './runtime.js';

// Set on the re-run, so that a pinned Node which does not serve either ends in a message, not in a loop.
const RERUN_MARK = 'INNKEEPER_RERUN';

if (isNewEnough()) {
  delete process.env[RERUN_MARK];
  // A third of a start is compiling: kept beside the packages, never in a folder that others can write to.
  module.enableCompileCache(compileCacheFolder());
  import('../src/main.ts').catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
} else {
  const node = process.env[RERUN_MARK] ? undefined : findPinnedNode();
  if (node) runOn(node, process.execArgv.concat(process.argv.slice(1)), { [RERUN_MARK]: '1' });
  else sayWhatToDo();
}
