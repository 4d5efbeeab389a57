import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { measureAll } from './measure-all.ts';
import { measureLarge } from './measure-large.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { profile } from './profile.ts';
import { slowDownFlushes } from './slow-down-flushes.ts';

/** npm run bench: the service, its limits and its peers in one run. docs/performance.md explains how to read it. */
try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await run(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function run(options: Options): Promise<void> {
  const folder = await mkdtemp(join(options.folder, 'innkeeper-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  if (options.flushMs > 0) await slowDownFlushes(folder, options.flushMs);
  if (options.profile) await profile(options, folder);
  else if (options.large) await measureLarge(options, folder);
  else await measureAll(options, folder);
}
