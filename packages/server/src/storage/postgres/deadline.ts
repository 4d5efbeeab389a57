import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** A server that has not responded this long after a cancel request will not respond at all. */
const CANCEL_MS = 2_000;
/** A cancel request that arrives between two statements is lost. */
const CANCEL_AGAIN_MS = 100;
/** `warning`: a cancelled commit is done here, but perhaps not on the standby it waits for. */
const WARNING = /^01/;
/** The part of PostgreSQL in which a commit waits for a standby. */
const WAITING_FOR_STANDBY = 'SyncRepWaitForLSN';

/**
 * There was no response in time. Whether the statement was carried out is known only if the server could be asked to
 * cancel it.
 */
export class Overdue extends Error {
  override name = 'Overdue';
}

/**
 * The result of a statement. A statement that takes longer than `ms`, or is aborted, is cancelled, and the server's response to
 * the cancellation is the result: a statement reported as timed out must not run later, when its lock is released.
 */
export async function resultWithin(
  client: pg.Client,
  query: pg.QueryConfig,
  ms: number,
  signal?: AbortSignal,
): Promise<pg.QueryResult> {
  signal?.throwIfAborted();
  const outcome = confirmed(client, query);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = (): void => resolve();
  const timer = setTimeout(cancel, ms);
  signal?.addEventListener('abort', cancel);
  try {
    const result = await Promise.race([outcome, late]);
    if (result) return result;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
  return cancelled(client, outcome);
}

const unconfirmed = new WeakMap<pg.Client, { isLast: boolean }>();

/**
 * A cancellation meant for a late statement can reach the one before it on the same connection, and end its wait for a
 * standby. The server reports that right before the result.
 */
function confirmed(client: pg.Client, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const noted = unconfirmed.get(client) ?? noteUnconfirmed(client);
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
  // Called while the results are read, before the notice of the next statement.
  client.query(query, (error: Error | undefined, result: pg.QueryResult) => {
    const isUnconfirmed = noted.isLast;
    noted.isLast = false;
    if (error) reject(error);
    else if (isUnconfirmed) reject(new Overdue('the commit was not confirmed by a standby'));
    else resolve(result);
  });
  return promise;
}

function noteUnconfirmed(client: pg.Client): { isLast: boolean } {
  const noted = { isLast: false };
  unconfirmed.set(client, noted);
  client.on('notice', ({ routine }) => {
    if (routine === WAITING_FOR_STANDBY) noted.isLast = true;
  });
  return noted;
}

/** Overdue statements of a connection. They are cancelled one at a time, in the order in which the server runs them. */
type Cancelling = { late: Set<Promise<void>>; warned: boolean; gaveUp: boolean };
const cancelling = new WeakMap<pg.Client, Cancelling>();

async function cancelled(client: pg.Client, outcome: Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  const running = cancelling.get(client);
  const state = running ?? { late: new Set(), warned: false, gaveUp: false };
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    state.late.delete(settled);
    resolve();
  };
  state.late.add(settled);
  outcome.then(settle, settle);
  if (!running) void cancelAll(client, state);
  try {
    const result = await outcome;
    if (state.warned) throw new Overdue('the commit was not confirmed in time');
    return result;
  } catch (error) {
    throw state.gaveUp ? new Overdue('no response in time', { cause: error }) : error;
  }
}

async function cancelAll(client: pg.Client, state: Cancelling): Promise<void> {
  cancelling.set(client, state);
  const onNotice = ({ code = '' }: { code?: string | undefined }): void => {
    if (WARNING.test(code)) state.warned = true;
  };
  client.on('notice', onNotice);
  for (const until = performance.now() + CANCEL_MS; state.late.size > 0; ) {
    if (performance.now() > until) {
      state.gaveUp = true;
      client.connection.stream.destroy();
      break;
    }
    await requestCancel(client);
    await Promise.race([...state.late, sleep(CANCEL_AGAIN_MS, undefined, { ref: false })]);
  }
  client.off('notice', onNotice);
  cancelling.delete(client);
}

const CANCEL_REQUEST = 80877102;

/**
 * Uses its own connection, as the protocol requires: it needs no password and no free slot, and a pooler passes it on.
 * Resolves when the server has received it.
 */
function requestCancel(client: pg.Client): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, CANCEL_REQUEST, processID, secretKey].entries()) {
    request.writeInt32BE(word, index * 4);
  }
  const { host, port } = client;
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  return new Promise((resolve) => {
    socket.setTimeout(CANCEL_MS / 2, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume().end(request);
  });
}
