import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { scratchFile } from '../scratch-file.ts';

const LOGGING = new URL('../../src/monitoring/logging.ts', import.meta.url).href;
const OUTPUT = new URL('../../src/monitoring/log-output.ts', import.meta.url).href;

/**
 * Runs a process that logs about 9 KB and ends immediately: more than one write buffers, less than triggers a write.
 */
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
  'every line is written once and in order, after %s',
  async (last) => {
    const lines = (await endingWith(last)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: 100 }, (_, line) => line));
  },
);

test('a stopped terminal blocks neither the process nor its end', async () => {
  const [script, ended] = [scratchFile('mjs'), scratchFile('json')];
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    const { createLogger } = await import(${JSON.stringify(LOGGING)});
    const { logOutput } = await import(${JSON.stringify(OUTPUT)});
    const logger = createLogger('info');
    for (let piece = 0; piece < 100; piece++) {
      for (let line = 0; line < 1000; line++) logger.info('a line');
      await sleep(1);
    }
    await logOutput().drain(1000);
    process.on('exit', () => writeFileSync(${JSON.stringify(ended)}, JSON.stringify({
      isTerminal: process.stdout.isTTY, dropped: logOutput().droppedLines })));
    process.exit(0);`,
  );
  // `script` writes the terminal's output to a pipe that nobody reads.
  const terminal = spawn('script', ['-qec', `'${process.execPath}' '${script}'; touch '${ended}.after'`, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await vi.waitFor(() => expect(existsSync(`${ended}.after`)).toBe(true), { timeout: 60_000 });
    expect(JSON.parse(readFileSync(ended, 'utf8'))).toEqual({ isTerminal: true, dropped: expect.any(Number) });
    expect(JSON.parse(readFileSync(ended, 'utf8')).dropped).toBeGreaterThan(0);
  } finally {
    terminal.kill('SIGKILL');
    terminal.stdout.destroy();
    await once(terminal, 'exit');
  }
});
