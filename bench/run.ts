import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { measureAll } from './measure-all.ts';
import { measureLarge } from './measure-large.ts';
import { readOptions, USAGE } from './options.ts';
import { profile } from './profile.ts';
import { slowDownFlushes } from './slow-down-flushes.ts';

/** npm run bench: the service, its limits and its peers in one run. docs/performance.md tells how to read it. */
const options = readOptions(process.argv.slice(2));
if (options.help) {
  console.log(USAGE);
} else {
  const folder = await mkdtemp(join(options.folder, 'innkeeper-bench-'));
  try {
    if (options.flushMs > 0) await slowDownFlushes(folder, options.flushMs);
    if (options.profile) await profile(options, folder);
    else if (options.large) await measureLarge(options, folder);
    else await measureAll(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
