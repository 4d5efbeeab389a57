import { once } from 'node:events';
import { connect } from 'node:net';

/** As long as the log shows it. */
const PATH = '/nowhere-at-all-of-course'.repeat(11);
/** Requests in flight: few enough that a busy machine rarely returns 503. */
const WINDOW = 64;

/**
 * Sends requests with numbered ids over one connection; returns the numbers of those with 404. Each makes a log line of
 * about 500 bytes.
 */
export async function sendUnknownPaths(port: number, count: number, from = 0): Promise<number[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const statuses: string[] = [];
  let sent = 0;
  const send = (): void => {
    let requests = '';
    for (; sent < count && sent < statuses.length + WINDOW; sent++) {
      requests += `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'n'.repeat(100)}-${from + sent}\r\n\r\n`;
    }
    if (requests !== '') socket.write(requests);
  };
  let text = '';
  socket.on('data', (piece: string) => {
    text += piece;
    let read = Math.max(0, text.length - 'HTTP/1.1 40'.length);
    for (const { 1: status, 0: found, index } of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses.push(status as string);
      read = Math.max(read, index + found.length);
    }
    text = text.slice(read);
    if (statuses.length === count) socket.end();
    else send();
  });
  send();
  await once(socket, 'close');
  if (statuses.length !== count) throw new Error(`${statuses.length} of ${count} requests were answered.`);
  return statuses.flatMap((status, index) => (status === '404' ? [from + index] : []));
}
