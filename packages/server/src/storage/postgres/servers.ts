import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf, messageOf } from '../../caught.ts';
import { DatabaseUrlInvalid, type Problem, StorageUnavailable } from '../port.ts';
import { resultWithin } from './deadline.ts';
import { describeSplit, isEndedByServer } from './errors.ts';

const CONNECT_MS = 2_000;
/** For the first connection, if there is no other address to try: nothing waits behind it. */
const FIRST_CONNECT_MS = 8_000;
/** An act without a response by then is cancelled (deadline.ts). */
const STATEMENT_MS = 5_000;
/** Lock timeout of a statement: acts in the same batch, or behind it on its connection, wait as well. */
export const LOCK_MS = 100;

/**
 * The server's own statement timeout, in case we can no longer cancel. Slightly shorter than ours, so that ours is
 * rarely needed.
 */
export const serverMs = (statementMs: number): number => statementMs - 500;

// Only for sessions that are ours: a pooler reports another process id and would pass the settings on to others.
// Shorter values set by the operator stay. A policy that hides rows causes an error instead of incomplete results.
// Batches wait only briefly for a lock on a row or table.
const BOUND_SESSION = `
  select set_config('row_security', 'off', false) where pg_backend_pid() = $1
  union all
  select set_config(s.name, wanted.ms::text, false)
  from pg_settings s join (values ('statement_timeout', $2::integer), ('lock_timeout', $3::integer)) wanted (name, ms) on wanted.name = s.name
  where pg_backend_pid() = $1 and wanted.ms > 0 and (s.setting::integer = 0 or s.setting::integer > wanted.ms)
`;
/** pg's message when connecting timed out, and the share of that time in which this process was busy. */
const TIMED_OUT = 'timeout expired';
const BUSY = 0.25;
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 50;
/** While acts wait for the server to come back, and after that. */
const MAX_PAUSE_MS = { awaited: 250, gone: 1_000 };

const NUMBER_TYPES = new Set([20, 21, 23]);
/** bigint as a number: all of ours are ids and milliseconds below 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    NUMBER_TYPES.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** No connection could be opened: nothing was sent. */
export class Unreached extends StorageUnavailable {}

/** One database under one or several addresses (`postgres://u:p@h1:5432,h2:5432/db`), one of which accepts writes. */
export class Servers {
  readonly #urls: string[];
  #preferred = 0;
  #failures = 0;
  #pausedUntil = 0;
  /** When connecting failed for the first time since it last succeeded. */
  #lostAt: number | undefined;
  #lastError: Error | undefined;
  #isConnected = false;
  readonly #onMove: () => void;
  /** How long an act may take. */
  readonly statementMs: number;

  /** `onMove`: called when another address is used than before. */
  constructor(url: string, onMove = (): void => {}, statementMs = STATEMENT_MS) {
    this.#onMove = onMove;
    this.statementMs = statementMs;
    this.#urls = splitHosts(url).map(nameFullVerification);
    for (const each of this.#urls) refuseUnreadable(each);
  }

  /**
   * A client for the address that accepts writes. After a failure, fails fast for a moment instead of hammering the
   * server.
   */
  async connect(options: { pipeline: boolean }): Promise<pg.Client> {
    if (performance.now() < this.#pausedUntil) throw this.#unavailable();
    try {
      const client = await this.#connectToAny(options);
      this.#failures = 0;
      this.#lostAt = undefined;
      return client;
    } catch (error) {
      this.#lastError = error as Error;
      this.#lostAt ??= performance.now();
      this.#pause();
      throw this.#unavailable();
    }
  }

  /** Connections that fail together count once. */
  #pause(): void {
    if (performance.now() < this.#pausedUntil) return;
    const longest = this.#isGone ? MAX_PAUSE_MS.gone : MAX_PAUSE_MS.awaited;
    const pause = Math.min(longest, FIRST_PAUSE_MS * 2 ** this.#failures++);
    this.#pausedUntil = performance.now() + pause * (0.5 + Math.random() / 2);
  }

  /** A server that has been away for as long as an act may take is not waited for: acts fail at once until it is back. */
  get #isGone(): boolean {
    if (!this.#isConnected) return true;
    return this.#lostAt !== undefined && performance.now() > this.#lostAt + this.statementMs;
  }

  /** For an act that was not sent: waits for the next time to connect, and returns whether to try. */
  async isBackSoon(startedAt: number): Promise<boolean> {
    if (this.#isGone || performance.now() > startedAt + this.statementMs) return false;
    await sleep(Math.max(FIRST_PAUSE_MS, this.#pausedUntil - performance.now()));
    return true;
  }

  /**
   * A timeout says something about the server only if this process had time to listen: it may have been loading
   * modules, or short of processor time. A server that closes a connection it has just accepted is there; if it is
   * shutting down, it refuses the next one. In both cases all addresses are tried again.
   */
  async #connectToAny(options: { pipeline: boolean }): Promise<pg.Client> {
    for (let tries = 1; ; tries++) {
      const before = performance.eventLoopUtilization();
      try {
        return await this.#connectInTurn(options);
      } catch (error) {
        const { message, cause } = error as Error;
        const wasBusy = performance.eventLoopUtilization(before).utilization > BUSY;
        const isInconclusive = (wasBusy && message.includes(TIMED_OUT)) || isEndedByServer(cause);
        if (!isInconclusive || tries === MAX_TRIES) throw error;
      }
    }
  }

  async #connectInTurn(options: { pipeline: boolean }): Promise<pg.Client> {
    const reasons: string[] = [];
    let cause: unknown;
    // Another connection may change what is preferred in the meantime.
    const first = this.#preferred;
    const withinMs = this.#isConnected || this.#urls.length > 1 ? CONNECT_MS : FIRST_CONNECT_MS;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const index = (first + tried) % this.#urls.length;
      const client = new pg.Client({
        connectionString: this.#urls[index] as string,
        connectionTimeoutMillis: withinMs,
        keepAlive: true,
        fallback_application_name: 'innkeeper',
        types: TYPES,
        pipeline: options.pipeline,
      });
      // Without a listener, a lost connection would end the process. The query that uses the client reports the error.
      client.on('error', () => {});
      try {
        await client.connect();
        const { processID } = client as unknown as { processID: number };
        const bounds = [processID, serverMs(this.statementMs), options.pipeline ? LOCK_MS : 0];
        await resultWithin(client, { text: BOUND_SESSION, values: bounds }, withinMs);
        if (this.#urls.length > 1) {
          const { rows } = await resultWithin(client, { text: 'show transaction_read_only' }, withinMs);
          if (rows[0]?.transaction_read_only !== 'off') throw new Error('is read-only');
        }
        const isMove = this.#isConnected && this.#preferred !== index;
        this.#isConnected = true;
        this.#preferred = index;
        if (isMove) this.#onMove();
        return client;
      } catch (error) {
        cause = error;
        reasons.push(`${client.host}:${client.port} ${messageOf(error) || codeOf(error)}`);
        endClient(client).catch(() => {});
      }
    }
    throw new Error(reasons.join('; '), { cause });
  }

  /** The addresses that accept writes, each with its server's start time: one server may have two names. */
  async findWritable(): Promise<{ address: string; started: string }[]> {
    if (this.#urls.length === 1) return [];
    const found = await Promise.allSettled(this.#urls.map(askIfWritable));
    return found.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []));
  }

  #unavailable(): Unreached {
    return new Unreached(`PostgreSQL cannot be reached: ${this.#lastError?.message}`, {
      cause: this.#lastError,
    });
  }
}

async function askIfWritable(url: string): Promise<{ address: string; started: string } | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const text = `select current_setting('transaction_read_only') as ro, pg_postmaster_start_time()::text as started`;
    const { rows } = await resultWithin(client, { text }, CONNECT_MS);
    const { ro, started } = rows[0] as { ro: string; started: string };
    return ro === 'off' ? { address: `${client.host}:${client.port}`, started } : undefined;
  } finally {
    endClient(client).catch(() => {});
  }
}

/** Waits for statements that were sent, but not for a server that no longer responds. */
export async function endClient(client: pg.Client): Promise<void> {
  const waiting = new AbortController();
  const timeout = sleep(CONNECT_MS, undefined, { signal: waiting.signal, ref: false }).then(
    () => client.connection.stream.destroy(),
    () => {},
  );
  await Promise.race([client.end(), timeout]);
  waiting.abort();
}

/** Checked by pg itself, which accepts more than URLs. */
function refuseUnreadable(url: string): void {
  try {
    new pg.Client({ connectionString: url });
  } catch {
    throw new DatabaseUrlInvalid('The address of the database cannot be read.');
  }
}

/** pg verifies certificates fully in the weaker modes too, but warns at every start that this may change. */
function nameFullVerification(url: string): string {
  if (/[?&]uselibpqcompat=true(?=&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** pg supports only one host per URL. */
export function splitHosts(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)/s.exec(url);
  if (!parts) return [url];
  const [, scheme = '', authority = '', rest = ''] = parts;
  const at = authority.lastIndexOf('@') + 1;
  const credentials = authority.slice(0, at);
  return authority
    .slice(at)
    .split(',')
    .map((host) => `${scheme}${credentials}${host}${rest}`);
}

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
