import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../../packages/server/test/cli/run-innkeeper.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace } from '../client.ts';
import { inspectFile } from '../inspect-file.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';

const CLIENTS = 12;
const LOAD_MS = 2_000;
const IMPORTED = 400;
/** How many users of earlier rounds each client checks again in every round; all of them at the end. */
const SAMPLE = 3;
const BLANK_GAPS = fileURLToPath(new URL('../controls/blank-gaps.ts', import.meta.url));

export const link: Campaign = {
  name: 'link',
  title: 'SQLite through a symbolic link: three workers under mixed load with deletes, and an import',
  promise: 'the integrity check is clean; no imported user is missing, no user incomplete',
  operatorSees: 'nothing: `doctor` shows the resolved path',
  unit: 'rounds',
  times: { short: 3, full: 20 },
  run: (context) => run(context),
  control: {
    what: 'a program that overwrites unused bytes of the file',
    times: 2,
    run: (context) => run(context, true),
  },
};

async function run(context: CampaignContext, blanks = false): Promise<void> {
  mkdirSync(join(context.folder, 'disk'));
  const path = join(context.folder, 'disk/innkeeper.db');
  const linked = join(context.folder, 'link.db');
  symlinkSync(path, linked);
  const application = await setStage(`sqlite:${path}`);
  const databaseUrl = `sqlite:${linked}`;
  const server = await serve({ settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl, workers: '3' } });
  context.defer(() => end(server));
  const place = await openPlace(server.url, application);
  const load = startLoad(place, { clients: CLIENTS, timeoutMs: 20_000 });
  context.defer(() => load.close());
  if (blanks) context.defer(startBlanking(linked));
  let imported = 0;
  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      const begun = load.clients.map((client) => client.users.length);
      load.resume();
      const importing = importUsers(context.folder, databaseUrl, application.clientId, round);
      await sleep(LOAD_MS);
      const problem = await importing;
      await load.pause();
      if (problem !== undefined) lose(`the import: ${problem}`);
      else imported += IMPORTED;
      for (const each of inspectFile(path)) lose(each);
      const found = countImported(path);
      if (found !== imported) lose(`${found} of ${imported} imported users are there`);
      const isLast = round === context.times;
      const losses = await checkAll(load, (client) => {
        const from = begun[load.clients.indexOf(client)] ?? 0;
        return isLast ? client.users : [...client.users.slice(0, Math.min(from, SAMPLE)), ...client.users.slice(from)];
      });
      for (const loss of [...losses, ...load.unexpected.splice(0)]) lose(loss);
    });
  }
  context.report(`${load.counts().acknowledged} acts acknowledged, ${imported} users imported`);
}

/** Returns what went wrong. */
async function importUsers(
  folder: string,
  databaseUrl: string,
  app: string,
  round: number,
): Promise<string | undefined> {
  const file = join(folder, `users-${round}.jsonl`);
  const lines = Array.from({ length: IMPORTED }, (_, at) =>
    JSON.stringify({ clientUserId: `imported-${round}-${at}`, clientUserName: 'Ada' }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { code, stdout, stderr } = await commandLine(databaseUrl).run('users', 'import', file, '--app', app, '--json');
  return code === 0 ? undefined : `exit code ${code}: ${stdout}${stderr}`.slice(0, 300);
}

function countImported(path: string): number {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    const row = database.prepare("select count(*) as n from users where client_user_id like 'imported-%'").get();
    return Number(row?.n);
  } catch {
    return Number.NaN;
  }
}

function startBlanking(path: string): () => Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [BLANK_GAPS, path], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
