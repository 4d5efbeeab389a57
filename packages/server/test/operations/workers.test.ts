import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { databases } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { SECRET, uniqueName } from '../http/start.ts';
import { keepAliveAgent, type Outcome, post } from './load.ts';
import { readPrometheus } from './prometheus.ts';
import { endAll, makeApplication, type ServeProcess, serve } from './serve-process.ts';

const [sqlite] = databases as [(typeof databases)[0]];
let blocker: Server | undefined;
afterEach(async () => {
  blocker?.close();
  blocker = undefined;
  await endAll();
});

async function startWorkers() {
  const databaseUrl = await sqlite.fresh();
  const application = await makeApplication(databaseUrl);
  const server = await serve({ settings: { databaseUrl, secret: SECRET, workers: '2' } });
  await vi.waitFor(() => expect(workersOf(server)).toHaveLength(2), { timeout: 30_000 });
  return { server, application };
}

/** All workers that have ever listened, oldest first. */
function workersOf(server: ServeProcess): number[] {
  const listening = server.logs().filter(({ msg }) => String(msg).startsWith('Server listening'));
  return listening.map(({ pid }) => Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A new connection each time, so that it may reach another worker. */
async function ask(server: ServeProcess, path: string): Promise<Response> {
  return fetch(server.url + path, { headers: { connection: 'close' } });
}

describe('INNKEEPER_WORKERS=2', () => {
  it('serves one port from both, sums their metrics, replaces one that died, and ends them all', async () => {
    const { server } = await startWorkers();
    const requests = 60;
    for (let count = 0; count < requests; count++) expect((await ask(server, '/nowhere')).status).toBe(404);
    await vi.waitFor(() => {
      const served = server.logs().filter(({ status }) => status === 404);
      expect(served).toHaveLength(requests);
      expect(new Set(served.map(({ pid }) => pid)).size).toBe(2);
    }, 30_000);
    const count404 = (text: string): number => {
      const samples = readPrometheus(text);
      const counted = samples.filter(
        ({ name, labels }) => name === 'innkeeper_requests_total' && labels.status === '404',
      );
      return counted.reduce((sum, { value }) => sum + value, 0);
    };
    // The same in every worker, also for concurrent requests.
    for (const answer of await Promise.all([1, 2, 3, 4].map(() => ask(server, '/metrics')))) {
      expect(count404(await answer.text())).toBe(requests);
    }

    const [victim, survivor] = workersOf(server) as [number, number];
    process.kill(victim, 'SIGKILL');
    await vi.waitFor(() => expect(workersOf(server)).toHaveLength(3), { timeout: 30_000 });
    // Each process buffers its log lines for a moment.
    const reported = { level: 'error', msg: 'a worker has ended; starting another', worker: victim };
    await vi.waitFor(() => expect(server.logs()).toContainEqual(expect.objectContaining(reported)), {
      timeout: 30_000,
    });
    for (let count = 0; count < 10; count++) expect((await ask(server, '/readyz')).status).toBe(200);
    // The dead worker's counts are kept.
    for (let times = 0; times < 2; times++)
      expect(count404(await (await ask(server, '/metrics')).text())).toBe(requests);

    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(workersOf(server).filter(isAlive)).toEqual([]);
    expect(workersOf(server)).toContain(survivor);
    expect(server.stderr()).toBe('');
  });

  it('drops no request when Ctrl+C reaches every process', async () => {
    const { server, application } = await startWorkers();
    const { clientId, clientSecret } = application;
    const outcomes: Outcome[] = [];
    const clients = Array.from({ length: 16 }, async () => {
      const agent = keepAliveAgent();
      for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
        const body = { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Test user' };
        const outcome = await post(`${server.url}/api/v2/app/create-user`, body, agent);
        outcomes.push(outcome);
        if (outcome.kind === 'refused') break;
      }
      agent.destroy();
    });
    while (outcomes.length < 100) await sleep(10);
    server.signal('SIGINT');
    for (const pid of workersOf(server)) process.kill(pid, 'SIGINT');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await Promise.all(clients);
    const dropped = outcomes.filter((outcome) => outcome.kind === 'dropped');
    expect(dropped.filter(({ reused }) => reused)).toEqual([]);
    // All clients reconnect when their connection ends. The kernel resets connections that were not yet accepted; on a
    // busy machine, that is all of the worker that ended first. If a parent process accepted and then dropped them,
    // nearly all of both workers' would be lost.
    expect(dropped.length).toBeLessThan(14);
    expect(outcomes.filter((outcome) => outcome.kind === 'answered' && outcome.status !== 200)).toEqual([]);
  });

  it('reports a hanging worker, and does not wait for it at shutdown', async () => {
    const { server } = await startWorkers();
    const [stopped] = workersOf(server) as [number, number];
    process.kill(stopped, 'SIGSTOP');
    const reported = () =>
      server.logs().filter(({ msg, worker }) => worker === stopped && /^a worker does not respond/.test(String(msg)));
    await vi.waitFor(() => expect(reported()).toHaveLength(1), { timeout: 30_000 });
    // The kernel still assigns connections to the stopped worker.
    const ready = async () => {
      const signal = AbortSignal.timeout(500);
      const answer = await fetch(`${server.url}/readyz`, { headers: { connection: 'close' }, signal });
      return (await answer.json()) as object;
    };
    const problems = [{ kind: 'worker', message: expect.stringContaining(`Worker ${stopped} does not respond`) }];
    await vi.waitFor(async () => expect(await ready()).toEqual({ status: 'ok', problems }), { timeout: 30_000 });
    process.kill(stopped, 'SIGCONT');
    const again = { msg: 'a worker responds again', worker: stopped };
    await vi.waitFor(() => expect(server.logs()).toContainEqual(expect.objectContaining(again)), { timeout: 30_000 });

    process.kill(stopped, 'SIGSTOP');
    await vi.waitFor(() => expect(reported()).toHaveLength(2), { timeout: 30_000 });
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(workersOf(server).filter(isAlive)).toEqual([]);
    const killed = { msg: 'a worker did not end in time and was killed', worker: stopped };
    expect(server.logs()).toContainEqual(expect.objectContaining(killed));
  });

  it('answers /metrics with 503 while the parent cannot add up', async () => {
    const { server } = await startWorkers();
    server.signal('SIGSTOP');
    const answer = await ask(server, '/metrics');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: '9503', message: expect.stringContaining('parent process') });
    server.signal('SIGCONT');
    await vi.waitFor(async () => expect((await ask(server, '/metrics')).status).toBe(200), { timeout: 30_000 });
  });

  it('ends its workers with it, which log the reason', async () => {
    const { server } = await startWorkers();
    const workers = workersOf(server);
    server.signal('SIGKILL');
    // The output ends when the last worker does.
    await server.exited;
    const reported = server.logs().filter(({ msg }) => String(msg).startsWith('the parent process has ended'));
    expect(reported.map(({ pid }) => pid).toSorted()).toEqual(workers.toSorted());
  });

  it('ends on request while its workers are dead', async () => {
    const { server } = await startWorkers();
    const workers = workersOf(server);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(workers.filter(isAlive)).toEqual([]), 30_000);
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });
});

describe.each(['1', '2'])('with %s workers, a port that is in use', (workers) => {
  it('fails the start immediately, with one message that names it and a suggested fix', async () => {
    const port = await freePort();
    blocker = createServer();
    await new Promise<void>((resolve) => blocker?.listen(port, '127.0.0.1', resolve));
    const databaseUrl = await sqlite.fresh();
    const settings = { databaseUrl, secret: SECRET, workers, port: String(port), logLevel: 'warn' };
    const server = await serve({ settings, failing: true });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.stderr().match(/cannot listen/g)).toHaveLength(1);
    expect(server.stderr()).toContain(`127.0.0.1:${port}`);
    expect(server.stderr()).toContain('--port');
    expect(server.stderr().trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(server.stdout()).toBe('');
  });
});
