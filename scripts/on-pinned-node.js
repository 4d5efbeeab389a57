// node scripts/on-pinned-node.js SCRIPT ARGUMENTS...
//
// Runs a tool on the pinned Node, with that Node first in the path of everything it starts. npm's own link to it,
// node_modules/.bin/node, is unreliable: npm up to at least 11.6 removes it again (docs/decisions/0001).

import { findPinnedNode, isNewEnough, runOn, sayWhatToDo } from '../packages/server/bin/runtime.js';

const node = isNewEnough() ? process.execPath : findPinnedNode();
if (node) runOn(node, process.argv.slice(2));
else sayWhatToDo();
