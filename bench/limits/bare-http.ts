import { createServer } from 'node:http';
import type { RawResponse } from '../send.ts';

/**
 * The limit: only node:http, which reads the same bodies and returns the same bytes as the service. Runs in its own
 * process: gets the response by message and reports its port.
 */
process.once('message', ({ status, headers, body }: RawResponse) => {
  const fields = headers.flat();
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(status, fields).end(body);
      return;
    }
    request.on('data', () => {});
    request.on('end', () => response.writeHead(status, fields).end(body));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
});
