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
import type { Campaign, Ground } from '../campaign.ts';
import { bothDatabases } from '../databases.ts';
import { rowsOfUser } from '../rows-of-user.ts';
import { SETTINGS, setStage } from '../stage.ts';

/** The log is emptied every 30 seconds, and by the scrub. */
const PATIENCE_MS = 75_000;

export const erasure: Campaign = {
  name: 'erasure',
  title:
    'users with names and texts of their own, every other one deleted, then `innkeeper scrub`; then the files of SQLite and the logs byte by byte, and PostgreSQL row by row',
  promise: 'no trace of anybody who was deleted, with SQLite after a scrub',
  operatorSees: '`user.erased` in the audit, without the name of the user; the summary of `scrub`',
  unit: 'users',
  times: { short: 400, full: 4_000 },
  run,
  control: { what: 'a plain SQLite file, rows deleted', times: 20, run: runPlain },
};

const CATALOG: CatalogFile = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [{ name: 'profile', keys: [{ name: 'motto', type: 'string', constraint: { max_length: 300 } }] }],
};

type Guest = { name: string; text: string; code: string };
const marked = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`;

async function run(ground: Ground): Promise<void> {
  for (const { kind, url } of await bothDatabases(ground)) {
    const application = await setStage(url, CATALOG);
    const server = await serve({ settings: { ...SETTINGS, logLevel: 'debug', databaseUrl: url } });
    ground.defer(async () => {
      server.signal('SIGTERM');
      await server.exited;
    });
    const agent = keepAliveAgent();
    ground.defer(() => agent.destroy());
    const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const outcome = await send(method, server.url + path, body, { agent, headers });
      if (outcome.kind !== 'answered' || outcome.status >= 300)
        throw new Error(`${method} ${path}: ${JSON.stringify(outcome)}`);
      return outcome.body;
    };
    const { clientId, clientSecret } = application;
    const { items } = await ask('GET', '/api/option_keys', undefined, { apiKey: clientId });
    const [{ option_group_uid, option_key_uid }] = items as [Record<string, string>];
    const settle = async (): Promise<Guest> => {
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
    const guests: Guest[] = [];
    for (let count = 0; count < ground.times; count++) guests.push(await settle());
    const gone = guests.filter((_guest, at) => at % 2 === 0).sort(() => Math.random() - 0.5);
    for (const { code } of gone)
      await ask('DELETE', `/api/v2/app/${clientId}/users/${code}`, undefined, basic(application));
    if (kind === 'sqlite') {
      const { code, stderr } = await runInnkeeper(['scrub', '--json', '--database-url', url]);
      if (code !== 0) throw new Error(`innkeeper scrub: ${stderr}`);
    }
    const look = async () => found(gone, [...(await contents(url)), Buffer.from(server.stdout() + server.stderr())]);
    const before = performance.now();
    while ((await look()).size > 0 && performance.now() - before < PATIENCE_MS) await sleep(1_000);
    const left = await look();
    ground.tell(`${kind}: gone after ${Math.round((performance.now() - before) / 1000)} s`);
    const rows = await rowsOfUser(url);
    ground.defer(() => rows.close());
    for (const guest of gone) {
      await ground.attempt(async (lose) => {
        if (left.has(guest)) lose(`${kind}: ${left.get(guest)}`);
        if ((await rows.count(guest.code)) > 0) lose(`${kind}: rows of ${guest.code}`);
      });
    }
    const kept = guests.filter((guest) => !gone.includes(guest));
    if (found(kept, await contents(url)).size < kept.length)
      throw new Error('the remaining users are not found either');
  }
}

/** Which users can still be found, and by what. */
function found(guests: readonly Guest[], places: readonly Buffer[]): Map<Guest, string> {
  const hits = guests.flatMap((guest): [Guest, string][] => {
    // The code stays in events, which keep ids; its other rows are counted.
    const hit = [guest.name, guest.text].find((mark) => places.some((place) => place.includes(mark)));
    return hit === undefined ? [] : [[guest, String(hit)]];
  });
  return new Map(hits);
}

async function contents(url: string): Promise<Buffer[]> {
  if (!url.startsWith('sqlite:')) return [Buffer.from(await dump(url))];
  const path = url.slice('sqlite:'.length);
  return Promise.all(['', '-wal', '-shm'].map((end) => readFile(path + end)));
}

async function runPlain(ground: Ground): Promise<void> {
  const path = join(ground.folder, 'plain.db');
  const database = new DatabaseSync(path);
  database.exec('create table people (name text primary key, text text)');
  const guests = Array.from({ length: ground.times }, () => ({
    name: marked('name'),
    text: marked('text'),
    code: marked('code'),
  }));
  for (const { name, text } of guests) database.prepare('insert into people values (?, ?)').run(name, text);
  for (const { name } of guests) database.prepare('delete from people where name = ?').run(name);
  database.close();
  const left = found(guests, [await readFile(path)]);
  for (const guest of guests) {
    await ground.attempt(async (lose) => {
      if (left.has(guest)) lose(`plain: ${left.get(guest)}`);
    });
  }
}
