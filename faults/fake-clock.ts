import { existsSync, writeFileSync } from 'node:fs';
import { CannotRun } from './campaign.ts';

const LIBRARIES = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`);

export type FakeClock = {
  /** For the process that is to have this clock. */
  env: NodeJS.ProcessEnv;
  /** Seconds ahead of the real time, from now on, even in a running process. */
  set(aheadSeconds: number): void;
};

/**
 * Sets a process's wall clock with libfaketime; its monotonic clock does not change, as when an operator sets the time.
 */
export function fakeClock(file: string): FakeClock {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (!library) throw new CannotRun('needs libfaketime: apt-get install libfaketime');
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}`);
  set(0);
  return {
    env: { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' },
    set,
  };
}
