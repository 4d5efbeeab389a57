import { defineConfig } from 'vitest/config';
import { compileCacheFolder } from './packages/server/bin/runtime.js';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'e2e/**/*.test.ts'],
    globalSetup: ['packages/server/test/global-setup.ts'],
    // Processes, not threads: suites start servers, send signals and read the environment.
    pool: 'forks',
    maxWorkers: 2,
    // Threads and processes that suites start take modules as the service itself compiled and kept them.
    env: { NODE_COMPILE_CACHE: compileCacheFolder() },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 20_000,
    // What is waited for comes when it comes; a second is little on a machine with other work.
    expect: { poll: { timeout: 10_000 } },
  },
});
