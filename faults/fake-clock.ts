import { existsSync, writeFileSync } from 'node:fs';
import { CannotRun } from './campaign.ts';

const LIBRARIES = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`);

export type FakeClock = {
  /** For the process that is to have this clock. */
  env: NodeJS.ProcessEnv;
  /** Ahead of the real time by so many seconds, from now on, also in a running process. */
  set(aheadSeconds: number): void;
};

/** The wall clock of a process by libfaketime; its monotonic clock stays as it is, as when an operator sets the time. */
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
