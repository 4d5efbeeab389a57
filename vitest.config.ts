import { defineConfig } from 'vitest/config';
import { compileCacheFolder } from './packages/server/bin/runtime.js';
import { SlowestFirst } from './packages/server/test/slowest-first.ts';

const BUILT_THREADS = new URL('packages/server/test/built-threads.js', import.meta.url).href;

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'e2e/**/*.test.ts', 'bench/*.test.ts', 'faults/*.test.ts'],
    globalSetup: ['packages/server/test/global-setup.ts'],
    // Processes, not threads: suites start servers, send signals and read the environment.
    pool: 'forks',
    // Two more than the two cores that the suite is meant for: many wait for a browser, a process or a time limit.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    // The service is loaded once for all suites of a process, by Node itself, as it is when it serves: nothing in it may
    // depend on being loaded anew. Threads and processes that suites start take modules as they were compiled and kept.
    isolate: false,
    // Room for young objects: collecting them took a tenth of the tests' processor time.
    execArgv: ['--max-semi-space-size=64', '--import', BUILT_THREADS],
    experimental: { viteModuleRunner: false },
    env: { NODE_COMPILE_CACHE: compileCacheFolder() },
    // Ten times what the longest takes on a machine of its own.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    // What is waited for comes when it comes; a second is little on a machine with other work.
    expect: { poll: { timeout: 30_000 } },
  },
});
