import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLine, runInnkeeper } from '../../packages/server/test/cli/run-innkeeper.ts';
import { SECRET } from '../../packages/server/test/http/start.ts';
import { type ServeProcess, serve } from '../../packages/server/test/operations/serve-process.ts';
import {
  DAMAGE,
  DAMAGE_KINDS,
  type DamageKind,
  emptyLog,
  makeFreePages,
} from '../../packages/server/test/sqlite/damage-file.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { Client, isDone, openPlace, type Place, type TestUser } from '../client.ts';
import { HIDES_DAMAGE } from '../controls/hides-damage.ts';
import { probeDamaged, type Seen } from '../probe-damaged.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { worst } from '../worst.ts';

const USERS = 300;
/** From the end of the requests to a failing /readyz; if it does not fail, doctor must find the damage. */
const READYZ_MS = 1_000;

export const corruptPages: Campaign = {
  name: 'corrupt-pages',
  title: `the SQLite file is damaged (${DAMAGE_KINDS.join(', ')}), while the service is stopped and while it runs; then reads, saves, exchanges, creates and deletes`,
  promise:
    'the damage is reported: by a refused start, `/readyz` or `doctor --deep`; from then on, no write is acknowledged and nothing is reported missing; the process keeps running without a 500, and the documented restore works',
  operatorSees:
    '`/readyz` 503 with file, damage and steps to restore; an error line; `innkeeper_problem{kind="corruption"}`; `doctor --deep` lists the damage',
  unit: 'damaged files',
  times: { short: DAMAGE_KINDS.length, full: 40 },
  run: (context) => run(context, []),
  control: {
    what: 'a service and a doctor that mistake damage for a lock',
    times: 4,
    run: (context) => run(context, HIDES_DAMAGE),
  },
};

type Template = { path: string; backup: string; place: Place; users: TestUser[] };

async function run(context: CampaignContext, nodeArgs: string[]): Promise<void> {
  const template = await makeTemplate(context);
  const seen: Seen = { acknowledged: 0, missing: 0, refused: 0 };
  const noticed = { start: 0, readyz: 0, doctor: 0, healed: 0 };
  const restoredMs: number[] = [];
  for (let round = 0; round < context.times; round++) {
    const kind = DAMAGE_KINDS[round % DAMAGE_KINDS.length] as DamageKind;
    const isRunning = Math.floor(round / DAMAGE_KINDS.length) % 2 === 1;
    await context.attempt(async (lose) => {
      const about = `${kind}${isRunning ? ', running' : ''}: `;
      const path = join(context.folder, `${round}.db`);
      copyFileSync(template.path, path);
      const databaseUrl = `sqlite:${path}`;
      const start = () => serve({ nodeArgs, settings: { ...SETTINGS, databaseUrl, logLevel: 'fatal' } });
      let server: ServeProcess | undefined;
      if (isRunning) {
        server = await start();
        emptyLog(path);
        DAMAGE[kind](path);
      } else {
        DAMAGE[kind](path);
        try {
          server = await start();
        } catch (error) {
          if (!String(error).includes(`${path} is damaged`)) lose(`${about}the start failed: ${error}`);
          else noticed.start++;
        }
      }
      if (server) {
        try {
          const how = await exercise(template, server, seen, (what) => lose(about + what));
          const doctor = how === undefined ? await askDoctor(databaseUrl, nodeArgs) : undefined;
          if (how) noticed.readyz++;
          else if (doctor?.isDamaged) noticed.doctor++;
          // Cached pages may have been written over the damage.
          else if (isRunning && nodeArgs.length === 0 && doctor?.isFine) noticed.healed++;
          else lose(`${about}nothing was reported: ${doctor?.detail}`);
        } finally {
          await end(server);
        }
      }
      if (nodeArgs.length > 0) return;
      const before = performance.now();
      const problem = await restoreAsDocumented(path, template);
      restoredMs.push(performance.now() - before);
      if (problem !== undefined) lose(about + problem);
    });
  }
  const { acknowledged, missing, refused } = seen;
  context.report(
    `reported at the start ${noticed.start}, by /readyz ${noticed.readyz}, by doctor --deep alone ${noticed.doctor} times`,
  );
  if (noticed.healed > 0)
    context.report(`${noticed.healed} times written over by the running service, and clean again`);
  context.report(
    `${acknowledged} acts acknowledged, ${refused} answered 503, ${missing} answered "not found" before the damage was known`,
  );
  if (restoredMs.length > 0) context.report(`restored and ready in ${worst(restoredMs)} ms`);
}

/** A file with users who have tokens and selections, free pages, and a backup of it. */
async function makeTemplate(context: CampaignContext): Promise<Template> {
  const path = join(context.folder, 'template.db');
  const databaseUrl = `sqlite:${path}`;
  const application = await setStage(databaseUrl);
  const server = await serve({ settings: { ...SETTINGS, databaseUrl } });
  context.defer(() => end(server));
  const place = await openPlace(server.url, application);
  const clients = Array.from({ length: 8 }, () => new Client(place));
  await Promise.all(
    clients.map(async (client) => {
      while (client.users.length < USERS / clients.length) {
        const user = await client.create();
        await client.exchange(user);
        await client.save(user, client.users.length % 8);
      }
      client.close();
    }),
  );
  await end(server);
  makeFreePages(path);
  const backup = join(context.folder, 'template.backup');
  await commandLine(databaseUrl).json('backup', backup);
  emptyLog(path);
  return { path, backup, place, users: clients.flatMap(({ users }) => users) };
}

/** Requests of every kind. Returns whether /readyz says that the file is damaged. */
async function exercise(
  { place, users }: Template,
  server: ServeProcess,
  seen: Seen,
  lose: (what: string) => void,
): Promise<true | undefined> {
  const client = new Client({ ...place, url: server.url });
  client.users.push(...users.map((user) => ({ ...user, selections: new Map(user.selections) })));
  try {
    await probeDamaged(client, server.url, seen, lose);
  } finally {
    client.close();
  }
  for (const deadline = performance.now() + READYZ_MS; ; await sleep(100)) {
    const ready = await fetch(`${server.url}/readyz`);
    if (!ready.ok && (await ready.text()).includes('is damaged')) return true;
    if (performance.now() > deadline) break;
  }
  const live = await fetch(`${server.url}/livez`).catch(() => undefined);
  if (!live?.ok) lose('the process does not answer');
  return undefined;
}

async function askDoctor(databaseUrl: string, nodeArgs: string[]) {
  const { stdout } = await runInnkeeper(['doctor', '--deep', '--json'], {
    INNKEEPER_DATABASE_URL: databaseUrl,
    INNKEEPER_SECRET: SECRET,
    INNKEEPER_PORT: '0',
    ...(nodeArgs.length > 0 && { NODE_OPTIONS: nodeArgs.join('=') }),
  });
  const checks = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[];
  const about = checks.filter(({ check }) => check === 'data' || check === 'database');
  return {
    isDamaged: about.some(({ ok, detail }) => !ok && detail.includes('damaged')),
    isFine: about.every(({ ok }) => ok),
    detail: about.map(({ detail }) => detail).join('; '),
  };
}

/** The steps of docs/backup.md. Undefined if a user of the backup can be read afterwards. */
async function restoreAsDocumented(path: string, { backup, place, users }: Template): Promise<string | undefined> {
  for (const ending of ['', '-wal', '-shm']) {
    try {
      renameSync(path + ending, `${path}.damaged${ending}`);
    } catch {
      // There may be no log.
    }
  }
  const databaseUrl = `sqlite:${path}`;
  const { code, stderr } = await commandLine(databaseUrl).run('restore', backup);
  if (code !== 0) return `the restore failed: ${stderr}`;
  const server = await serve({ settings: { ...SETTINGS, databaseUrl } });
  const client = new Client({ ...place, url: server.url });
  try {
    const found = await client.read(users[0] as TestUser);
    return isDone(found) ? undefined : 'a user of the backup is missing after the restore';
  } finally {
    client.close();
    await end(server);
    for (const ending of ['', '.damaged', '.damaged-wal', '.damaged-shm']) rmSync(path + ending, { force: true });
  }
}
