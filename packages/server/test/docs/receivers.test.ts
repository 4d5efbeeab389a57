import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { signatureHeaders } from '../../src/domain/webhooks/send-event.ts';
import { freePort } from '../free-port.ts';
import { makeUser, startTestServer, type TestServer } from '../http/start.ts';
import { manageWith } from '../manage/manage.ts';

const PAGE = join(import.meta.dirname, '../../../../docs/webhooks.md');
const WAIT = { timeout: 60_000, interval: 50 };
const RECEIVERS = [
  { file: 'receiver.mjs', command: process.execPath },
  { file: 'receiver.py', command: 'python3' },
];

describe('the receivers of the guide', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'innkeeper-receivers-'));
    server = await startTestServer(`sqlite:${join(folder, 'innkeeper.db')}`, { webhooksAllow: '127.0.0.1' });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  test.each(RECEIVERS)('$file verifies, ignores duplicates and responds', async ({ file, command }) => {
    const { clientId, ...application } = await server.application();
    const manage = await manageWith(server, { appIds: [application.appId] });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/events`;
    const webhooks = `/applications/${clientId}/webhooks`;
    const { webhookId, secret } = (await manage.send('POST', webhooks, { url })).json as Record<string, string>;

    await writeFile(join(folder, file), await blockOf(file));
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
    const child = spawn(command, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    try {
      await vi.waitFor(() => expect(lines).toEqual(['ready']), WAIT);
      await makeUser(server, { ...application, clientId });
      await vi.waitFor(() => expect(lines).toHaveLength(2), WAIT);
      expect(lines[1]).toMatch(/^user\.created evt_[0-9a-v]{13}$/);
      const succeeded = async () => {
        const { items } = (await manage.get(`${webhooks}/${webhookId}/deliveries`)).json;
        expect(items).toMatchObject([{ state: 'succeeded', status: 204 }]);
        return (items as { deliveryId: string; lastAt: string }[])[0] as { deliveryId: string };
      };
      const { deliveryId } = await vi.waitFor(succeeded, WAIT);

      const post = async (body: string, at: number, key = secret as string, id = 'evt_0') => {
        const headers = signatureHeaders([key], { id, at, body });
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      const body = JSON.stringify({ id: 'evt_0', type: 'user.updated' });
      const another = `whsec_${Buffer.alloc(32).toString('base64')}`;
      expect(await post(body, Date.now(), another)).toBe(401);
      expect(await post(body, Date.now() - 301_000)).toBe(401);
      expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
      expect(lines).toHaveLength(2);
      // A body that breaks off ends its own request only; one without an end is not read.
      await send(port, 'Content-Length: 100\r\n\r\nabc', (socket) => socket.end());
      await send(port, 'Content-Length: -1\r\n\r\n', (socket) => once(socket, 'data'));
      expect(await post(body, Date.now())).toBe(204);
      expect(await post(body, Date.now())).toBe(204);
      await manage.send('POST', `${webhooks}/${webhookId}/deliveries/${deliveryId}/resend`);
      await vi.waitFor(succeeded, WAIT);
      expect(lines.slice(2)).toEqual(['user.updated evt_0']);
    } finally {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  });

  async function send(port: number, rest: string, then: (socket: Socket) => unknown): Promise<void> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write(`POST /events HTTP/1.1\r\nHost: receiver\r\n${rest}`);
    await setTimeout(100);
    await then(socket);
    socket.destroy();
    await setTimeout(100);
  }

  async function blockOf(file: string): Promise<string> {
    const blocks = (await readFile(PAGE, 'utf8')).split('```');
    const block = blocks.find((text) => text.split('\n', 1)[0]?.endsWith(` ${file}`));
    return block?.slice(block.indexOf('\n') + 1) ?? '';
  }
});
