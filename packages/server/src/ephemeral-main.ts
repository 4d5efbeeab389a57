import { isIPv6 } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { startWriterEarly } from './storage/sqlite/start-writer.ts';

// Listening needs Node's expression for IPv6 addresses, which V8 compiles in 3 ms instead of 8 without this step.
setFlagsFromString('--no-regexp-peephole-optimization');
isIPv6('');
setFlagsFromString('--regexp-peephole-optimization');

/** What @innkeeper/testing starts (bin/ephemeral.cjs): without the command line, which takes longer to load. */
startWriterEarly();
void import('./run.ts').then(({ runEphemeral }) => runEphemeral({}));
