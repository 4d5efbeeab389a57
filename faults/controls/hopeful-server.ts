import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that breaks on made-up requests: it trusts that every body is as documented. */
export async function startHopefulServer(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    text(request)
      .then((body) => {
        if (body !== '') (JSON.parse(body) as { value: string[] }).value.map((value) => value.toLowerCase());
      })
      .catch(() => {
        response.statusCode = 500;
      })
      .finally(() => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
