import { runEphemeral } from './run-ephemeral.ts';

/** What @innkeeper/testing starts (bin/ephemeral.cjs): without the command line, which takes longer to load. */
void runEphemeral({});
