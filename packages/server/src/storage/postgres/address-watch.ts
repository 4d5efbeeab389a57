import type { Problem } from '../port.ts';
import { describeSplit } from './server-problems.ts';
import type { Servers } from './servers.ts';

const EVERY_MS = 10_000;

/**
 * Only one of several addresses may accept writes. If two do, they are two databases, and neither is known to be the
 * right one.
 */
export class AddressWatch {
  readonly #servers: Servers;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #problem: Problem | undefined;

  constructor(servers: Servers, everyMs = EVERY_MS) {
    this.#servers = servers;
    this.#timer = setInterval(() => void this.look(), everyMs).unref();
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const writable = await this.#servers.findWritable();
      const servers = new Map(writable.map(({ started, address }) => [started, address]));
      this.#problem = servers.size > 1 ? describeSplit([...servers.values()]) : undefined;
    } finally {
      this.#isLooking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
