import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The load comes from its own process: wrk if it is in the path, else autocannon. The same one for a whole run. */
export type Load = {
  port: number;
  /** As made by request.ts. */
  requests: string[];
  /** Send each only once and end early when they are used up; or repeat them. */
  once: boolean;
  seconds: number;
  connections: number;
  /** Average pause between a response and the next request of a connection. */
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

/** Throws if a response is missing or bad: the figure would mean nothing. */
export async function runLoad(load: Load, file: string): Promise<LoadResult> {
  await writeFile(file, load.requests.map((text) => `${Buffer.byteLength(text)}\n${text}`).join(''));
  const { stdout } = await promisify(execFile)(...command(load, file));
  const { failed, failures, ...result } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed;
  if (failed > 0 || result.answered === 0) throw new Error(`void: ${failures} of ${result.answered} responses`);
  return { ...result, rate: result.answered / result.seconds };
}

function command({ port, once, seconds, connections, pauseMs }: Load, file: string): [string, string[]] {
  const url = `http://127.0.0.1:${port}`;
  const own = [String(seconds), file, once ? 'once' : 'again', ...(pauseMs === undefined ? [] : [String(pauseMs)])];
  if (generator === 'autocannon') {
    return [process.execPath, [join(FOLDER, 'autocannon.ts'), url, String(connections), ...own]];
  }
  // The script ends it in time; if every response is slow, wrk does a second later.
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
