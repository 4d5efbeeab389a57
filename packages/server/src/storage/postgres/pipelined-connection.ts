import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { resultWithin } from './deadline.ts';
import { isOwnConnectionLost } from './errors.ts';
import { endClient, type Servers } from './servers.ts';

const STUCK_MS = 1_000;

/**
 * A shared connection: statements are sent without waiting for earlier responses and run in order, each in its own
 * transaction. BEGIN is never sent here: it would include other statements.
 */
export class PipelinedConnection {
  readonly #servers: Servers;
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;
  /** Acts sent without a response yet. */
  inFlight = 0;
  /** When the last response arrived, or the first statement was sent on an idle connection. */
  #movedAt = 0;
  #batcher = false;

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  get open(): boolean {
    return this.#client !== undefined;
  }

  /** Acts behind one that waits long wait too, and fail with it when it times out. */
  get stuck(): boolean {
    return this.inFlight > 0 && performance.now() - this.#movedAt > STUCK_MS;
  }

  async query(query: pg.QueryConfig, withinMs = this.#servers.statementMs): Promise<pg.QueryResult> {
    if (this.inFlight++ === 0) this.#movedAt = performance.now();
    let client: pg.Client | undefined;
    try {
      client = this.#client ?? (await this.#connect());
      this.#gather(client);
      return await resultWithin(client, query, withinMs);
    } catch (error) {
      // Before pg emits its event, so that a retry gets a new connection.
      if (client && this.#client === client && isOwnConnectionLost(error)) this.retire();
      throw error;
    } finally {
      this.inFlight--;
      this.#movedAt = performance.now();
    }
  }

  /**
   * Statements of one turn of the event loop are written together: a system call costs more than a statement's bytes.
   */
  #gather(client: pg.Client): void {
    if (this.#batcher) return;
    this.#batcher = true;
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    stream.cork();
    setImmediate(() => {
      this.#batcher = false;
      stream.uncork();
    });
  }

  openSoon(): void {
    if (!this.#client) this.#connect().catch(() => {});
  }

  /** The next act opens a new connection; acts already sent on this one still get their response. */
  retire(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client) endClient(client).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => {});
    if (this.#client) await endClient(this.#client);
    this.#client = undefined;
  }

  #connect(): Promise<pg.Client> {
    this.#connecting ??= this.#servers
      .connect({ pipeline: true })
      .then((client) => {
        const forget = (): void => {
          if (this.#client === client) this.#client = undefined;
        };
        client.on('error', forget);
        client.on('end', forget);
        this.#client = client;
        return client;
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }
}

/**
 * The least busy connection that is open and makes progress. If acts would queue, more are opened in the background; if
 * the server has no connection left, the open ones continue to serve.
 */
export function chooseConnection(connections: PipelinedConnection[]): PipelinedConnection {
  const closed = connections.find((connection) => !connection.open);
  const best = leastBusy(connections.filter((connection) => connection.open && !connection.stuck));
  if (!best) return closed ?? (leastBusy(connections) as PipelinedConnection);
  if (best.inFlight > 0) closed?.openSoon();
  return best;
}

function leastBusy(connections: PipelinedConnection[]): PipelinedConnection | undefined {
  let best: PipelinedConnection | undefined;
  for (const connection of connections) if (!best || connection.inFlight < best.inFlight) best = connection;
  return best;
}
