import { Worker } from 'node:worker_threads';

let early: Worker | undefined;

/** For a process that is going to open a SQLite file: the thread loads its code while the process loads its own. */
export function startWriterEarly(): void {
  early = startWriterThread();
}

/** The thread does nothing before it is sent an OpenCommand. */
export function startWriterThread(): Worker {
  const worker = early ?? new Worker(new URL('./writer-thread.ts', import.meta.url));
  early = undefined;
  return worker;
}
