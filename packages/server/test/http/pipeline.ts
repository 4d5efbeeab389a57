import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection, everything received on it, and when each part arrived. */
export type Line = { socket: Socket; text: string; times: number[] };

/** Sends the requests back to back, without waiting for responses. */
export async function pipeline(url: string, requests: string[]): Promise<Line> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const line: Line = { socket, text: '', times: [] };
  // A reset shows as missing responses.
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (text: string) => {
    line.text += text;
    line.times.push(performance.now());
  });
  socket.write(requests.join(''));
  return line;
}

export function rawRequest(path: string, body = '', headers = ''): string {
  const method = body === '' ? 'GET' : 'POST';
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${length}${headers}\r\n${body}`;
}

export function countOf(text: string, what: string): number {
  return text.split(what).length - 1;
}
