import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';

const LOGGING = new URL('../../src/http/logging.ts', import.meta.url).href;

/** A process that logs some 9 KB and ends at once: more than is gathered in one piece, less than is written by itself. */
function endingWith(last: string): Promise<string> {
  const script = `const { createLogger } = await import(${JSON.stringify(LOGGING)});
    const logger = createLogger('info');
    for (let line = 0; line < 100; line++) logger.info({ line, text: 'ü' });
    ${last}`;
  return new Promise((resolve) => {
    const args = ['--input-type=module', '--eval', script];
    execFile(process.execPath, args, (_error, stdout) => resolve(stdout));
  });
}

test.each(['process.exit(0);', "throw new Error('a defect');"])(
  'every line is there, once and in its order, after %s',
  async (last) => {
    const lines = (await endingWith(last)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 100 }, (_, line) => line));
  },
);
