import { connect } from 'node:net';

/**
 * Load, as a process of its own: `requests` create-user calls over `connections` keep-alive connections, each sending
 * its next call when the last is answered. Raw sockets, so that on few cores it takes as little as it can from what it
 * measures. Prints one line of JSON.
 */
export type Load = {
  port: number;
  connections: number;
  requests: number;
  clientId: string;
  clientSecret: string;
  /** What the clientUserIds of this run begin with. */
  prefix: string;
};

export type LoadResult = { seconds: number; answered: number; failures: string[]; p50: number; p99: number };

const HEAD_END = '\r\n\r\n';
const MAX_FAILURES = 3;

if (import.meta.main) {
  const load = JSON.parse(process.argv[2] as string) as Load;
  process.stdout.write(`${JSON.stringify(await createUsers(load))}\n`);
}

export async function createUsers(load: Load): Promise<LoadResult> {
  const requests = Array.from({ length: load.requests }, (_, index) => requestText(load, index));
  const times: number[] = [];
  const failures: string[] = [];
  let next = 0;

  const runConnection = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
      let received = '';
      let sentAt = 0;
      const send = (): void => {
        const request = requests[next++];
        if (request === undefined || failures.length >= MAX_FAILURES) {
          socket.end();
          return;
        }
        received = '';
        sentAt = performance.now();
        socket.write(request);
      };
      socket.setEncoding('latin1');
      socket.on('connect', send);
      socket.on('data', (chunk: string) => {
        received += chunk;
        if (!isWhole(received)) return;
        if (received.startsWith('HTTP/1.1 200 ') && received.includes('"specialToken":"st_')) {
          times.push(performance.now() - sentAt);
        } else {
          failures.push(received.slice(0, 300));
        }
        send();
      });
      socket.on('error', (error) => failures.push(error.message));
      socket.on('close', () => resolve());
    });

  const startedAt = performance.now();
  await Promise.all(Array.from({ length: load.connections }, runConnection));
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  const percentile = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { seconds, answered: times.length, failures, p50: percentile(0.5), p99: percentile(0.99) };
}

function requestText({ clientId, clientSecret, prefix }: Load, index: number): string {
  const body = JSON.stringify({ clientId, clientSecret, ...userOf(prefix, index) });
  return (
    'POST /api/v2/app/create-user HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`
  );
}

/** The same user, whether it is created over HTTP or inserted in a loop. */
export function userOf(prefix: string, index: number): { clientUserId: string; clientUserName: string } {
  return { clientUserId: `${prefix}-${index}@example.com`, clientUserName: `User number ${index}` };
}

/** One answer at a time is under way on a connection, and all of ours say how long they are. */
function isWhole(received: string): boolean {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  return length !== undefined && received.length >= headEnd + HEAD_END.length + Number(length);
}
