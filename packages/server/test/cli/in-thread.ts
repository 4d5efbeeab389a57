import { Worker } from 'node:worker_threads';
import { type Ending, environment } from './run-innkeeper.ts';

export type Order = { args: readonly string[]; settings: Record<string, string> };
export type Word = ['stdout' | 'stderr', string] | ['ended', number];

/**
 * Like `runInnkeeper`: the same command line, environment and output, but in a thread that has its modules loaded,
 * because most of a short process is its start. Tests of signals, standard input, colours or the end of the process
 * need a real process.
 */
export async function inThread(args: readonly string[], settings: Record<string, string> = {}): Promise<Ending> {
  const thread = await take();
  const started = performance.now();
  const output = { stdout: '', stderr: '' };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const listen = ([name, what]: Word) => {
    if (name === 'ended') resolve(what);
    else output[name] += what;
  };
  thread.on('message', listen).once('error', reject).once('exit', resolve).ref();
  thread.postMessage({ args, settings } satisfies Order);
  try {
    return { code: await promise, ...output, milliseconds: performance.now() - started };
  } finally {
    thread.off('message', listen).off('error', reject).off('exit', resolve).unref();
    giveBack(thread);
  }
}

/** Maximum number of threads; further commands wait. */
const MAX = 3;
const idle: Worker[] = [];
const waiting: ((thread: Worker) => void)[] = [];
let threads = 0;

async function take(): Promise<Worker> {
  const free = idle.pop();
  if (free) return free;
  if (threads === MAX) return new Promise((resolve) => waiting.push(resolve));
  threads++;
  return start();
}

function giveBack(thread: Worker): void {
  // A command may end its process, which here is its thread: start another.
  const next = thread.threadId === -1 ? start() : thread;
  const first = waiting.shift();
  if (first) first(next);
  else idle.push(next);
}

function start(): Worker {
  const thread = new Worker(new URL('./command-thread.ts', import.meta.url), { env: environment() });
  thread.unref();
  return thread;
}
