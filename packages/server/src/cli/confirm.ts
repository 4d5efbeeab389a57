import { createInterface } from 'node:readline/promises';

/** Asks on stderr, so that stdout stays the result's alone. The end of the input counts as no. */
export async function confirmByTyping(
  expected: string,
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  try {
    const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    return (await Promise.race([terminal.question(question), ended])).trim() === expected;
  } finally {
    terminal.close();
  }
}
