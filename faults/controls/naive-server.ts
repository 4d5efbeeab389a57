import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from '../client.ts';

export type NaiveServer = {
  place: Place;
  /** While it is unreachable, tokens are used up for nothing. */
  tokenService: { isThere: boolean };
  /** How many rows of a user it still has. */
  rowsOf(code: string): number;
  close(): void;
};

type User = { name: string; code: string; specialToken: string };
type Reply = { status: number; body?: object };

/** It requires no credentials. */
const APPLICATION = { clientId: '1_x', clientSecret: 'x', name: 'Naive' };

/** Between reading and writing, a database would be queried. */
const lookAndWrite = (): Promise<void> => sleep(2);

/**
 * A server that loses data, as one might write it in an afternoon: every request first reads, then writes. With
 * `slowsDown`, a request takes longer the more are waiting.
 */
export async function startNaiveServer({ slowsDown = false } = {}): Promise<NaiveServer> {
  const tokenService = { isThere: true };
  const users: User[] = [];
  const spent = new Set<string>();
  const selections: string[] = [];

  const routes: [string, RegExp, (body: Record<string, unknown>, code: string) => Promise<Reply>][] = [
    ['GET', /livez$/, async () => ({ status: 200 })],
    [
      'POST',
      /create-user$/,
      async ({ clientUserId }) => {
        const name = String(clientUserId);
        if (users.some((user) => user.name === name)) return { status: 400, body: { code: '0001' } };
        await lookAndWrite();
        const user = { name, code: randomUUID(), specialToken: randomUUID() };
        users.push(user);
        return { status: 200, body: user };
      },
    ],
    [
      'POST',
      /get-access-token$/,
      async ({ specialToken }) => {
        const user = users.find((each) => each.specialToken === specialToken && !spent.has(each.specialToken));
        if (!user) return { status: 400, body: { code: '0008' } };
        await lookAndWrite();
        spent.add(user.specialToken);
        if (!tokenService.isThere) return { status: 400, body: { code: '0009' } };
        return { status: 200, body: { service_user_code: user.code, access_token: randomUUID() } };
      },
    ],
    [
      'POST',
      /user_options$/,
      async ({ user_uid }) => {
        if (!users.some((user) => user.code === user_uid)) return { status: 404, body: { code: '1006' } };
        await lookAndWrite();
        selections.push(String(user_uid));
        return { status: 201, body: {} };
      },
    ],
    [
      'DELETE',
      /users\/([^/]+)$/,
      async (_, code) => {
        const rest = users.filter((user) => user.code !== code);
        users.splice(0, users.length, ...rest);
        selections.splice(0, selections.length, ...selections.filter((each) => each !== code));
        return { status: 204 };
      },
    ],
  ];
  const respond = async (request: IncomingMessage): Promise<Reply> => {
    const path = request.url ?? '';
    const text = (await request.toArray()).join('');
    const [, pattern, handle] = routes.find(([method, route]) => method === request.method && route.test(path)) ?? [];
    if (!handle) return { status: 404, body: { items: [] } };
    return handle(text === '' ? {} : JSON.parse(text), pattern?.exec(path)?.[1] ?? '');
  };
  let waiting = 0;
  const server = createServer((request, response) => {
    waiting++;
    response.on('close', () => waiting--);
    const until = performance.now() + (slowsDown ? waiting * 0.02 : 0);
    while (performance.now() < until) {}
    respond(request).then(
      ({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(body && JSON.stringify(body));
      },
      () => response.destroy(), // the client disconnected
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    tokenService,
    place: { url: `http://127.0.0.1:${port}`, application: APPLICATION, group: '', keys: [] },
    rowsOf: (code) =>
      users.filter((user) => user.code === code).length + selections.filter((each) => each === code).length,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
