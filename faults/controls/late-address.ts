// A server that reads its client's address after the response, as access logs do. Runs in its own process.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const seen: string[] = [];

const server = createServer((request, response) => {
  request.resume();
  setTimeout(() => {
    response.end('{}');
    seen.push((request.socket.remoteAddress as string).replace(/^::ffff:/, ''));
  }, 1);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
