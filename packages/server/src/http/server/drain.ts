import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits are counted in turns of the event loop, not by the clock: if the process got no processor time for a second,
 * clients on this machine did not either.
 */
const TURN_MS = 10;
/** Within this time, busy clients get a response with `Connection: close`. */
const ANNOUNCE_TURNS = 20;
/** Connections accepted at the last moment have this long to send their request. */
const LAST_REQUEST_TURNS = 10;
/** In a longer turn of the event loop, there were requests to read or the machine was busy. */
const QUIET_TURN_MS = 0.3;
const MAX_SEEK_QUIET_MS = 500;
/** After that, clients have this long to finish their request and read the response. */
const MAX_CLOSE_MS = 7_000;

/**
 * Closes without dropping a request. Closing a connection that only looks idle loses a request that its client is just
 * sending, so responses say `Connection: close` first. While listening ends, new requests wait for the promise given to
 * `hold`: a client that waits for a response does not connect again.
 */
export async function drain(server: HttpServer, hold: (until: Promise<void>) => void): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.once('close', resolve));
  const cutOff = setTimeout(() => server.closeAllConnections(), MAX_CLOSE_MS).unref();
  await untilUnused(server, ANNOUNCE_TURNS);
  const stopped = Promise.withResolvers<void>();
  hold(stopped.promise);
  await quietTurn(server);
  // Only stops listening: http's own close() would also close connections that look idle.
  Server.prototype.close.call(server);
  stopped.resolve();
  await untilUnused(server, LAST_REQUEST_TURNS);
  await quietTurn(server);
  server.closeIdleConnections();
  await closed;
  clearTimeout(cutOff);
}

async function untilUnused(server: HttpServer, turns: number): Promise<void> {
  for (let turn = 0; turn < turns && (await countConnections(server)) > 0; turn++) await sleep(TURN_MS);
}

function countConnections(server: HttpServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/**
 * Waits until every connection that has reached this machine is accepted and read, as far as can be told. Node accepts
 * one connection per turn of its event loop, so a turn that accepted none found none waiting. The kernel resets those
 * that still wait when listening ends. With 30 clients on two busy cores, up to 29 per close were reset when only the
 * length of a turn counted, and none in 16 closes with this and `hold`.
 */
async function quietTurn(server: HttpServer): Promise<void> {
  let accepted = 0;
  const count = (): void => {
    accepted++;
  };
  server.on('connection', count);
  await nextTurn();
  for (const deadline = performance.now() + MAX_SEEK_QUIET_MS; ; ) {
    const before = { accepted, at: performance.now() };
    await nextTurn();
    const at = performance.now();
    if ((accepted === before.accepted && at - before.at < QUIET_TURN_MS) || at > deadline) break;
  }
  server.off('connection', count);
}
