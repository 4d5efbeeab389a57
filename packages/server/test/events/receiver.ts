import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.ts';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** How a test responds to a request: with a status, or by using the response itself. */
export type Responder = (
  received: Received,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  answer: Responder;
  /** Resolves once that many requests have arrived. */
  until(count: number): Promise<Received[]>;
  close(): Promise<void>;
};

/** A webhook receiver: a real server on a port of 127.0.0.1. */
export async function startReceiver({ tls = false, answer = (() => 204) as Responder } = {}): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { count: number; resolve(): void }[] = [];
  const receiver = { received, answer } as Receiver;
  const server = tls ? createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }) : createServer();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() };
    received.push(one);
    for (const each of waiting.filter(({ count }) => received.length >= count)) each.resolve();
    const status = await receiver.answer(one, response);
    if (status !== undefined) response.writeHead(status).end();
  };
  // Aborted requests are ignored.
  server.on('request', (request, response) => void handle(request, response).catch(() => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `${tls ? 'https' : 'http'}://127.0.0.1:${receiver.port}`;
  receiver.until = async (count) => {
    if (received.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
    return received;
  };
  receiver.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return receiver;
}
