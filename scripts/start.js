// npm start [-- FLAGS]: builds what has changed, then serves with the demo application.

import './build.js';

// One process, so that whoever ends `npm start` ends the service.
process.argv.splice(2, 0, 'serve', '--demo');
await import('../packages/server/bin/innkeeper.js');
