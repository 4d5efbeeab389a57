import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { SECRET } from '../http/start.ts';

export const bin = join(import.meta.dirname, '../../bin/innkeeper.js');

export type Ending = { code: number | null; stdout: string; stderr: string; milliseconds: number };

/** Runs the real command in its own process, with only these settings and without a terminal. */
export async function runInnkeeper(args: readonly string[], settings: Record<string, string> = {}): Promise<Ending> {
  const started = performance.now();
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...environment(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { code, stdout, stderr, milliseconds: performance.now() - started };
}

/** This process's environment, without settings and colours. */
export function environment(): Record<string, string | undefined> {
  const ours = Object.entries(process.env).filter(([name]) => !/^INNKEEPER_|^(NO|FORCE)_COLOR$/.test(name));
  return Object.fromEntries(ours);
}

/** The command line of one database: each command in its own process, or run by `run`. */
export function commandLine(databaseUrl: string, run: typeof runInnkeeper = runInnkeeper) {
  const settings = { INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET };
  return {
    run: (...args: string[]) => run(args, settings),
    /** For commands that must succeed. */
    async json(...args: string[]) {
      const { code, stdout, stderr } = await run([...args, '--json'], settings);
      if (code !== 0) throw new Error(`innkeeper ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
