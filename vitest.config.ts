import { defineConfig } from 'vitest/config';
import { compileCacheFolder } from './packages/server/bin/runtime.js';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'e2e/**/*.test.ts', 'bench/*.test.ts', 'faults/*.test.ts'],
    globalSetup: ['packages/server/test/global-setup.ts'],
    // Processes, not threads: suites start servers, send signals and read the environment.
    pool: 'forks',
    // One more than the two cores that the suite is meant for: some wait for a while, for a time-out or a process.
    maxWorkers: 3,
    // The service is loaded once for all suites of a process, by Node itself, as it is when it serves: nothing in it may
    // depend on being loaded anew. Threads and processes that suites start take modules as they were compiled and kept.
    isolate: false,
    experimental: { viteModuleRunner: false },
    env: { NODE_COMPILE_CACHE: compileCacheFolder() },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // What is waited for comes when it comes; a second is little on a machine with other work.
    expect: { poll: { timeout: 10_000 } },
  },
});
