import { startWriterEarly } from './storage/sqlite/start-writer.ts';

/** What @innkeeper/testing starts (bin/ephemeral.cjs): without the command line, which takes longer to load. */
startWriterEarly();
void import('./run.ts').then(({ runEphemeral }) => runEphemeral({}));
