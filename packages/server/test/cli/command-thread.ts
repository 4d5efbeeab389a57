import { parentPort } from 'node:worker_threads';
import type { Order, Word } from './in-thread.ts';

const main = new URL('../../src/main.ts', import.meta.url).href;
const inherited = { ...process.env };
const send = (word: Word) => parentPort?.postMessage(word);
for (const name of ['stdout', 'stderr'] as const) {
  process[name].setMaxListeners(0).write = (text: string | Uint8Array, ...rest: unknown[]) => {
    send([name, String(text)]);
    const done = rest.at(-1);
    if (typeof done === 'function') queueMicrotask(() => done());
    return true;
  };
}

let runs = 0;
parentPort?.on('message', (order: Order) => void run(order));

async function run({ args, settings }: Order): Promise<void> {
  process.argv = [...process.argv.slice(0, 2), ...args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, inherited, settings);
  process.exitCode = 0;
  try {
    // The query makes the command line run again; the modules that it imports stay loaded.
    await import(`${main}?run=${++runs}`);
  } catch (error) {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exitCode = 1;
  }
  send(['ended', Number(process.exitCode)]);
}
