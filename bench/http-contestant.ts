import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Conditions, Contestant } from './compare.ts';
import { runLoad } from './load.ts';
import { processorTime } from './service.ts';

export type HttpServer = {
  name: string;
  port: number;
  child: ChildProcess;
  /** The requests for a run of `count`. */
  requests(count: number): Promise<string[]>;
  /** Whether each request can be sent only once. */
  once: boolean;
  /** How many for the first run, the warm-up. */
  first?: number;
};

const FIRST_REQUESTS = 8_000;
/** A run may be faster than those before it. */
const SPARE = 1.4;

/** Any HTTP server, under the load of `connections`. */
export function httpContestant(server: HttpServer, { connections, folder }: Conditions): Contestant {
  const { name, port, child, once, first = FIRST_REQUESTS } = server;
  let best = 0;
  return {
    name,
    async run(seconds) {
      const requests = await server.requests(best === 0 ? first : Math.ceil(best * seconds * SPARE));
      const before = await processorTime(child);
      const result = await runLoad({ port, requests, once, seconds, connections }, join(folder, 'requests'));
      best = Math.max(best, result.rate);
      return { ...result, processorUs: (((await processorTime(child)) - before) * 1000) / result.answered };
    },
  };
}
