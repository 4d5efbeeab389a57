import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { databases } from '../databases.ts';
import { basic, SECRET, uniqueName } from '../http/start.ts';
import { keepAliveAgent, type Outcome, post } from './load.ts';
import { endAll, makeApplication, type ServeProcess, serve } from './serve-process.ts';

const ROUNDS = 20;
const CLIENTS = 16;
/** How many of the earliest users are looked at again in every later round. */
const SAMPLE = 40;

const [sqlite] = databases as [(typeof databases)[0]];
afterEach(endAll);

/** What a client knows of a user whose creation it asked for. */
type User = { clientUserId: string; created: boolean; accessToken?: string };

it(`kill -9 during writes loses nothing that was acknowledged, ${ROUNDS} times over`, {
  timeout: 180_000,
}, async () => {
  const databaseUrl = await sqlite.fresh();
  const application = await makeApplication(databaseUrl);
  const { clientId, clientSecret } = application;
  const agents = Array.from({ length: CLIENTS }, keepAliveAgent);
  const acknowledged: User[] = [];
  const startTimes: number[] = [];
  let unacknowledged = 0;

  const createUser = (server: ServeProcess, clientUserId: string, agent = agents[0]): Promise<Outcome> =>
    post(
      `${server.url}/api/v2/app/create-user`,
      { clientId, clientSecret, clientUserId, clientUserName: 'Test user' },
      agent,
    );

  /** Creates and exchanges until the server is gone; what was not answered stays open. */
  const work = async (server: ServeProcess, users: User[], agent: (typeof agents)[number]): Promise<void> => {
    for (;;) {
      const user: User = { clientUserId: uniqueName(), created: false };
      users.push(user);
      const created = await createUser(server, user.clientUserId, agent);
      if (created.kind !== 'answered') return;
      expect(created.status).toBe(200);
      user.created = true;
      const { specialToken } = created.body;
      const granted = await post(`${server.url}/oauth/v2/get-access-token`, { clientSecret, specialToken }, agent);
      if (granted.kind !== 'answered') return;
      expect(granted.status).toBe(200);
      user.accessToken = String(granted.body.access_token);
    }
  };

  const checkAcknowledged = async (server: ServeProcess, { clientUserId, accessToken }: User, agent = agents[0]) => {
    const reissued = await post(
      `${server.url}/api/v2/app/special-token`,
      { clientId, clientSecret, clientUserId },
      agent,
    );
    expect(reissued).toMatchObject({ status: 200, body: { clientUserId, clientUserName: 'Test user' } });
    if (accessToken === undefined) return;
    const answer = await fetch(`${server.url}/oauth/v2/introspect`, {
      method: 'POST',
      headers: basic(application),
      body: new URLSearchParams({ token: accessToken }),
    });
    expect(await answer.json()).toMatchObject({ active: true, username: clientUserId });
  };

  const start = async (): Promise<ServeProcess> => {
    const started = performance.now();
    // Tokens name their issuer, and the port is another after each start.
    const publicUrl = 'https://users.example.com';
    const server = await serve({ settings: { databaseUrl, secret: SECRET, publicUrl, logLevel: 'error' } });
    startTimes.push(performance.now() - started);
    return server;
  };

  let server = await start();
  for (let round = 1; round <= ROUNDS; round++) {
    const users: User[] = [];
    const working = agents.map((agent) => work(server, users, agent));
    await sleep(20 + Math.random() * 250);
    server.signal('SIGKILL');
    await server.exited;
    await Promise.all(working);

    server = await start();
    expect(inspect(databaseUrl)).toEqual({ integrity: 'ok', halfUsers: 0 });
    const doubtful = users.filter(({ created }) => !created);
    acknowledged.push(...users.filter(({ created }) => created));
    unacknowledged += doubtful.length;
    for (const { clientUserId } of doubtful) {
      // Whole or absent: never the profile without its user (0024).
      const again = await createUser(server, clientUserId);
      expect(again).toMatchObject({ kind: 'answered' });
      if (again.kind === 'answered' && again.status !== 200) expect(again.body.code).toBe('0001');
    }
    const recent = users.filter(({ created }) => created);
    const earlier = acknowledged.slice(0, SAMPLE);
    const checks = [...recent, ...earlier];
    await Promise.all(
      agents.map(async (agent, index) => {
        for (let at = index; at < checks.length; at += CLIENTS)
          await checkAcknowledged(server, checks[at] as User, agent);
      }),
    );
  }
  // All of them, once more, from the file itself.
  const names = new Set(userNames(databaseUrl));
  expect(acknowledged.filter(({ clientUserId }) => !names.has(clientUserId))).toEqual([]);
  for (const agent of agents) agent.destroy();

  // The rounds meant something: writes were under way when the plug was pulled.
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * 5);
  expect(unacknowledged).toBeGreaterThan(ROUNDS);
  // Recovery takes no time of its own. The quickest of them, as the machine may be busy with other things.
  expect(Math.min(...startTimes.slice(1))).toBeLessThan(2_000);
  server.signal('SIGTERM');
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

function inspect(databaseUrl: string): { integrity: unknown; halfUsers: unknown } {
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
  try {
    const integrity = database.prepare('pragma integrity_check').get();
    const half = database
      .prepare(
        `select (select count(*) from users u left join profiles p on p.user_id = u.user_id where p.user_id is null)
              + (select count(*) from profiles p left join users u on u.user_id = p.user_id where u.user_id is null) as n`,
      )
      .get();
    return { integrity: integrity?.integrity_check, halfUsers: half?.n };
  } finally {
    database.close();
  }
}

function userNames(databaseUrl: string): string[] {
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
  try {
    return database
      .prepare('select client_user_id from users')
      .all()
      .map((row) => String(row.client_user_id));
  } finally {
    database.close();
  }
}
