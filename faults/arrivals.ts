import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Place } from './client.ts';

const TICK_MS = 5;
const LATE_MS = 50;
/** Maximum concurrent connection attempts. */
const CONNECTING = 64;

/** How the requests of a period ended. */
export type Ended = {
  sent: number;
  acknowledged: number;
  /** 429 or 503 with Retry-After. */
  turnedAway: number;
  /** No response in time, or the connection broke. */
  unanswered: number;
  /** Any other response: "503 without Retry-After". */
  others: Record<string, number>;
  /** Requests without a free connection: all were waiting. */
  unsent: number;
  /** Some of the created users. */
  users: string[];
};

export type LoadPeriod = {
  ms: number;
  /**
   * Requests a second, regardless of the responses; without it, each connection sends the next request after its
   * response.
   */
  rate?: number;
};

export type Arrivals = {
  spell(spell: LoadPeriod): Promise<Ended>;
  close(): Promise<void>;
};

type TestUser = { code: string; accessToken: string };
type Data = { place: Place; users: TestUser[]; connections: number; timeoutMs: number };

/**
 * Sends requests from its own thread, over raw connections: creates, saves and reads in turn. That costs a tenth of a
 * proper client, so that one machine can generate ten times what a service on it can handle.
 */
export async function openArrivals(data: Data): Promise<Arrivals> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...data, place: { ...data.place } } });
  await once(worker, 'message');
  return {
    async spell(spell) {
      worker.postMessage(spell);
      const [ended] = (await once(worker, 'message')) as [Ended];
      return ended;
    },
    close: async () => void (await worker.terminate()),
  };
}

type Line = { socket: Socket; text: string; closed: boolean; sent?: { at: number; name?: string } | undefined };

if (!isMainThread && parentPort && (workerData as Partial<Data> | undefined)?.timeoutMs !== undefined) {
  await serveSpells(workerData as Data, parentPort);
}

async function serveSpells(
  { place, users, connections, timeoutMs }: Data,
  port: NonNullable<typeof parentPort>,
): Promise<void> {
  const { hostname, port: tcpPort } = new URL(place.url);
  const makeRequest = requests(place, users);
  const free: Line[] = [];
  const waiting = new Set<Line>();
  let ended = nothing();
  let chained = false;

  const open = (done: () => void = () => {}): void => {
    const socket = connect(Number(tcpPort), hostname);
    const line: Line = { socket, text: '', closed: false };
    socket.setNoDelay().setEncoding('latin1');
    socket.once('connect', () => {
      free.push(line);
      done();
    });
    socket.on('data', (text: unknown) => {
      line.text += String(text);
      if (isWhole(line.text)) settle(line);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      line.closed = true;
      if (waiting.delete(line)) ended.unanswered++;
      open();
    });
  };
  const settle = (line: Line): void => {
    const { text, sent } = line;
    line.text = '';
    if (!waiting.delete(line)) return;
    const status = Number(text.slice(9, 12));
    if (status < 300) {
      ended.acknowledged++;
      if (sent?.name !== undefined && ended.users.length < 100) ended.users.push(sent.name);
    } else if ((status === 429 || status === 503) && /^retry-after: \d/im.test(text)) ended.turnedAway++;
    else ended.others[status] = (ended.others[status] ?? 0) + 1;
    free.push(line);
    if (chained) send();
  };
  const send = (): void => {
    let line = free.pop();
    while (line?.closed) line = free.pop();
    if (!line) return void ended.unsent++;
    const { bytes, name } = makeRequest();
    line.sent = { at: performance.now(), ...(name === undefined ? {} : { name }) };
    waiting.add(line);
    ended.sent++;
    line.socket.write(bytes, 'latin1');
  };
  /** Clients that wait too long disconnect, and return on another connection. The set is in the order of sending. */
  const giveUp = (): void => {
    for (const line of waiting) {
      if (performance.now() - (line.sent?.at ?? 0) < timeoutMs) break;
      line.socket.destroy();
      waiting.delete(line);
      ended.unanswered++;
    }
  };

  for (let opened = 0; opened < connections; opened += CONNECTING) {
    const group = Array.from({ length: Math.min(CONNECTING, connections - opened) });
    await Promise.all(group.map(() => new Promise<void>((resolve) => open(resolve))));
  }
  const spell = async ({ ms, rate }: LoadPeriod): Promise<void> => {
    const began = performance.now();
    ended = nothing();
    chained = rate === undefined;
    if (chained) for (let count = free.length; count > 0; count--) send();
    let due = 0;
    let last = began;
    while (performance.now() - began < ms) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      const now = performance.now();
      // If this thread itself was delayed, it does not send everything it missed at once.
      if (rate !== undefined) for (due += (Math.min(now - last, LATE_MS) / 1000) * rate; due >= 1; due--) send();
      last = now;
      // First read what has arrived meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      giveUp();
    }
    chained = false;
    port.postMessage(ended);
  };
  port.on('message', (wanted: LoadPeriod) => void spell(wanted));
  port.postMessage('open');
}

function nothing(): Ended {
  return { sent: 0, acknowledged: 0, turnedAway: 0, unanswered: 0, others: {}, unsent: 0, users: [] };
}

/** Whether a response is complete. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= end + 4 + Number(length);
}

/** Creates, saves and reads in turn. Saves and reads are for existing users. */
function requests({ application, group, keys }: Place, users: TestUser[]): () => { bytes: string; name?: string } {
  const { clientId, clientSecret } = application;
  const post = (path: string, body: object): string => {
    const text = JSON.stringify(body);
    return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\napiKey: ${clientId}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  };
  let count = 0;
  return () => {
    const turn = count++;
    const { code, accessToken } = users[Math.floor(turn / 3) % users.length] as TestUser;
    if (turn % 3 === 0) {
      const name = randomUUID();
      const body = { clientId, clientSecret, clientUserId: name, clientUserName: 'Ada' };
      return { bytes: post('/api/v2/app/create-user', body), name };
    }
    if (turn % 3 === 1) {
      const choice = { user_uid: code, option_group_uid: group, option_key_uid: keys[0], value: [true] };
      return { bytes: post('/api/user_options', choice) };
    }
    const head = `Host: 127.0.0.1\r\napiKey: ${clientId}\r\nAuthorization: Bearer ${accessToken}`;
    return { bytes: `GET /api/user_options HTTP/1.1\r\n${head}\r\n\r\n` };
  };
}
