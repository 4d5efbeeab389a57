import { createInterface } from 'node:readline/promises';

/** Whether somebody is there to answer. A script that names what to delete has confirmed it. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on stderr, so that stdout contains only the result. Ctrl+C and end of input count as no. */
export async function confirmByTyping(
  expected: string,
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  const ended = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  try {
    const typed = await Promise.race([terminal.question(question), ended]);
    if (typed === undefined) output.write('\n');
    return typed?.trim() === expected;
  } finally {
    terminal.close();
  }
}
