import { once } from 'node:events';
import { connect } from 'node:net';

/** As long as the log shows it. */
const PATH = '/nowhere-at-all-of-course'.repeat(11);

/** Requests on one connection, numbered by their ids. Each is answered 404 and makes a log line of some 500 bytes. */
export async function sendUnknownPaths(port: number, count: number, from = 0): Promise<{ answered: number }> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answered = 0;
  let text = '';
  socket.on('data', (piece: string) => {
    const parts = (text + piece).split('HTTP/1.1 404');
    answered += parts.length - 1;
    text = parts.at(-1) as string;
    if (answered === count) socket.end();
  });
  for (let number = from; number < from + count; number++) {
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'n'.repeat(100)}-${number}\r\n\r\n`);
  }
  await once(socket, 'close');
  return { answered };
}
