import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Load comes from a process of its own: wrk where it is in the path, else autocannon. The same one for a whole run. */
export type Load = {
  port: number;
  /** As made by request.ts. */
  requests: string[];
  /** Each only once, ending early when they are spent; or over and over. */
  once: boolean;
  seconds: number;
  connections: number;
  /** Between the answer and the next request of a connection, on average. */
  pauseMs?: number;
};

export type LoadResult = {
  seconds: number;
  answered: number;
  rate: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
};

type Printed = Omit<LoadResult, 'rate'> & { failed: number; failures: string };

const FOLDER = join(import.meta.dirname, 'load');

export const generator = isInPath('wrk') ? 'wrk' : 'autocannon';

/** Throws when one answer is missing or bad: the figure would say nothing. */
export async function runLoad(load: Load, file: string): Promise<LoadResult> {
  await writeFile(file, load.requests.map((text) => `${Buffer.byteLength(text)}\n${text}`).join(''));
  const { stdout } = await promisify(execFile)(...command(load, file));
  const { failed, failures, ...result } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
  if (failed > 0 || result.answered === 0) throw new Error(`void: ${failures} of ${result.answered} answers`);
  return { ...result, rate: result.answered / result.seconds };
}

function command({ port, once, seconds, connections, pauseMs }: Load, file: string): [string, string[]] {
  const url = `http://127.0.0.1:${port}`;
  const own = [String(seconds), file, once ? 'once' : 'again', ...(pauseMs === undefined ? [] : [String(pauseMs)])];
  if (generator === 'autocannon') {
    return [process.execPath, [join(FOLDER, 'autocannon.ts'), url, String(connections), ...own]];
  }
  // The script ends it in time; where every answer is slow, wrk does a second later.
  const args = ['-t1', `-c${connections}`, `-d${Math.ceil(seconds) + 1}s`, '--timeout', '10s'];
  return ['wrk', [...args, '-s', join(FOLDER, 'wrk.lua'), url, '--', ...own]];
}

function isInPath(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
