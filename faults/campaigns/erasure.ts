import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogFile } from '../../packages/server/src/domain/catalog/file-schema.ts';
import { runInnkeeper } from '../../packages/server/test/cli/run-innkeeper.ts';
import { dump } from '../../packages/server/test/dump.ts';
import { basic } from '../../packages/server/test/http/start.ts';
import { keepAliveAgent, send } from '../../packages/server/test/operations/load.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { bothDatabases } from '../databases.ts';
import { rowsOfUser } from '../rows-of-user.ts';
import { SETTINGS, setStage } from '../stage.ts';

/** The log is emptied every 30 seconds, and by the scrub. */
const TIMEOUT_MS = 75_000;

export const erasure: Campaign = {
  name: 'erasure',
  title:
    'every second user (each has a unique name and unique texts) is deleted, then `innkeeper scrub`; then SQLite files and logs are searched byte by byte, PostgreSQL row by row',
  promise: 'no trace of a deleted user',
  operatorSees: '`user.erased` in the audit log, without the name; the summary of `scrub`',
  unit: 'users',
  times: { short: 400, full: 4_000 },
  run,
  control: { what: 'a plain SQLite file, rows deleted', times: 20, run: runPlain },
};

const CATALOG: CatalogFile = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [{ name: 'profile', keys: [{ name: 'motto', type: 'string', constraint: { max_length: 300 } }] }],
};

type TestUser = { name: string; text: string; code: string };
const marked = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`;

async function run(context: CampaignContext): Promise<void> {
  for (const { kind, url } of await bothDatabases(context)) {
    const application = await setStage(url, CATALOG);
    const server = await serve({ settings: { ...SETTINGS, logLevel: 'debug', databaseUrl: url } });
    context.defer(async () => {
      server.signal('SIGTERM');
      await server.exited;
    });
    const agent = keepAliveAgent();
    context.defer(() => agent.destroy());
    const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const outcome = await send(method, server.url + path, body, { agent, headers });
      if (outcome.kind !== 'answered' || outcome.status >= 300)
        throw new Error(`${method} ${path}: ${JSON.stringify(outcome)}`);
      return outcome.body;
    };
    const { clientId, clientSecret } = application;
    const { items } = await ask('GET', '/api/option_keys', undefined, { apiKey: clientId });
    const [{ option_group_uid, option_key_uid }] = items as [Record<string, string>];
    const settle = async (): Promise<TestUser> => {
      const [name, text] = [marked('name'), marked('text')];
      const user = { clientId, clientSecret, clientUserId: `${name}@example.com`, clientUserName: `Full ${name}` };
      const { specialToken } = await ask('POST', '/api/v2/app/create-user', user, { 'idempotency-key': name });
      const granted = await ask('POST', '/oauth/v2/get-access-token', { clientSecret, specialToken });
      const code = String(granted.service_user_code);
      const choice = {
        user_uid: code,
        option_group_uid,
        option_key_uid,
        value: [text.padEnd(30 + Math.random() * 150, ' and so on')],
      };
      await ask('POST', '/api/user_options', choice, { apiKey: clientId });
      await ask('POST', '/api/user_options', { ...choice, value: [`again ${text}`] }, { apiKey: clientId });
      // Earlier events contain the previous name.
      const renamed = { clientUserName: `Other ${name}` };
      await ask('PATCH', `/api/v2/app/${clientId}/users/${code}`, renamed, basic(application));
      return { name, text, code };
    };
    const users: TestUser[] = [];
    for (let count = 0; count < context.times; count++) users.push(await settle());
    const gone = users.filter((_user, at) => at % 2 === 0).sort(() => Math.random() - 0.5);
    for (const { code } of gone)
      await ask('DELETE', `/api/v2/app/${clientId}/users/${code}`, undefined, basic(application));
    if (kind === 'sqlite') {
      const { code, stderr } = await runInnkeeper(['scrub', '--json', '--database-url', url]);
      if (code !== 0) throw new Error(`innkeeper scrub: ${stderr}`);
    }
    const look = async () => found(gone, [...(await contents(url)), Buffer.from(server.stdout() + server.stderr())]);
    const before = performance.now();
    while ((await look()).size > 0 && performance.now() - before < TIMEOUT_MS) await sleep(1_000);
    const left = await look();
    context.report(`${kind}: gone after ${Math.round((performance.now() - before) / 1000)} s`);
    const rows = await rowsOfUser(url);
    context.defer(() => rows.close());
    for (const user of gone) {
      await context.attempt(async (lose) => {
        if (left.has(user)) lose(`${kind}: ${left.get(user)}`);
        if ((await rows.count(user.code)) > 0) lose(`${kind}: rows of ${user.code}`);
      });
    }
    const kept = users.filter((user) => !gone.includes(user));
    if (found(kept, await contents(url)).size < kept.length)
      throw new Error('the remaining users are not found either');
  }
}

/** Which users can still be found, and by what. */
function found(users: readonly TestUser[], places: readonly Buffer[]): Map<TestUser, string> {
  const hits = users.flatMap((user): [TestUser, string][] => {
    // The code stays in events, which keep ids; its other rows are counted.
    const hit = [user.name, user.text].find((mark) => places.some((place) => place.includes(mark)));
    return hit === undefined ? [] : [[user, String(hit)]];
  });
  return new Map(hits);
}

async function contents(url: string): Promise<Buffer[]> {
  if (!url.startsWith('sqlite:')) return [Buffer.from(await dump(url))];
  const path = url.slice('sqlite:'.length);
  return Promise.all(['', '-wal', '-shm'].map((end) => readFile(path + end)));
}

async function runPlain(context: CampaignContext): Promise<void> {
  const path = join(context.folder, 'plain.db');
  const database = new DatabaseSync(path);
  database.exec('create table people (name text primary key, text text)');
  const users = Array.from({ length: context.times }, () => ({
    name: marked('name'),
    text: marked('text'),
    code: marked('code'),
  }));
  for (const { name, text } of users) database.prepare('insert into people values (?, ?)').run(name, text);
  for (const { name } of users) database.prepare('delete from people where name = ?').run(name);
  database.close();
  const left = found(users, [await readFile(path)]);
  for (const user of users) {
    await context.attempt(async (lose) => {
      if (left.has(user)) lose(`plain: ${left.get(user)}`);
    });
  }
}
