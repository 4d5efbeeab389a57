import { connect } from 'node:net';

/**
 * Load, as a process of its own: the same few requests over and over, on keep-alive connections, each sending its next
 * one when the last is answered. Raw sockets, so that on few cores it takes as little as it can from what it measures.
 */
export type SentLoad = { port: number; connections: number; count: number; requests: string[]; statuses: number[] };
export type SentResult = { seconds: number; answered: number; failures: string[] };

const HEAD_END = '\r\n\r\n';

if (import.meta.main) {
  const load = JSON.parse(process.argv[2] as string) as SentLoad;
  process.stdout.write(`${JSON.stringify(await sendRequests(load))}\n`);
}

export async function sendRequests({ port, connections, count, requests, statuses }: SentLoad): Promise<SentResult> {
  const good = statuses.map((status) => `HTTP/1.1 ${status} `);
  const failures: string[] = [];
  let next = 0;
  let answered = 0;
  const runConnection = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      let received = '';
      const send = (): void => {
        if (next >= count || failures.length > 0) {
          socket.end();
          return;
        }
        received = '';
        socket.write(requests[next++ % requests.length] as string);
      };
      socket.setEncoding('latin1');
      socket.on('connect', send);
      socket.on('data', (chunk: string) => {
        received += chunk;
        const headEnd = received.indexOf(HEAD_END);
        const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
        if (headEnd < 0 || received.length < headEnd + HEAD_END.length + Number(length)) return;
        if (good.some((start) => received.startsWith(start))) answered++;
        else failures.push(received.slice(0, 300));
        send();
      });
      socket.on('error', (error) => failures.push(error.message));
      socket.on('close', () => resolve());
    });
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, runConnection));
  return { seconds: (performance.now() - startedAt) / 1000, answered, failures };
}
