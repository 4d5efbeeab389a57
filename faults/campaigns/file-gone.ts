import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServeOptions, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { isCode } from '../check-user.ts';
import { Client, describe, openPlace } from '../client.ts';
import { NEVER_LOOKS_AGAIN } from '../controls/never-looks-again.ts';
import { inspectFile } from '../inspect-file.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { untilServed } from '../until-served.ts';
import { worst } from '../worst.ts';

const CLIENTS = 8;
const PROBES = 10;
const NOTICED_MS = 5_000;
const RECOVERED_MS = 5_000;

export const fileGone: Campaign = {
  name: 'file-gone',
  title:
    'the SQLite file is deleted, moved or replaced under mixed load, every other time with kill -9; then the right one is moved back',
  promise:
    'nothing more is acknowledged, `/readyz` says so, the replacement is not damaged; with the right file, the service resumes within 5 s',
  operatorSees: '`/readyz` 503 with what happened and what to do; an error line; `innkeeper_problem{kind="file"}`',
  unit: 'times',
  times: { short: 6, full: 20 },
  run: (context) => run(context, {}),
  control: {
    what: 'a service that never checks the path again',
    times: 2,
    run: (context) => run(context, { nodeArgs: NEVER_LOOKS_AGAIN }),
  },
};

const KINDS = ['deleted', 'moved', 'replaced'] as const;

async function run(context: CampaignContext, how: ServeOptions): Promise<void> {
  const resumedMs: number[] = [];
  let acknowledged = 0;
  for (let round = 0; round < context.times; round++) {
    const kind = KINDS[round % KINDS.length] as (typeof KINDS)[number];
    await context.attempt(async (lose) => {
      const folder = join(context.folder, String(round));
      mkdirSync(folder);
      const [path, right, copy] = ['innkeeper.db', 'right.db', 'copy.db'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      const application = await setStage(`sqlite:${path}`);
      copyFileSync(path, copy);
      const options = { ...how, settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl: `sqlite:${path}` } };
      let server = await serve(options);
      context.defer(() => end(server));
      const place = await openPlace(server.url, application);
      const probe = new Client(place);
      const load = startLoad(place, { clients: CLIENTS });
      context.defer(() => {
        load.close();
        probe.close();
      });
      const reader = await probe.create();
      await probe.exchange(reader);
      load.resume();
      await sleep(300 + Math.random() * 300);

      if (kind === 'moved') renameSync(path, right);
      else {
        // A second hard link for a moment, so that the file outlives what happens to the first name.
        linkSync(path, right);
        if (kind === 'replaced') renameSync(copy, path);
        else rmSync(path);
      }
      for (let count = 0; count < PROBES; count++) {
        const user = await probe.create();
        if (user.exists === 'yes') lose(`${kind}: a user was acknowledged afterwards`);
        await sleep(Math.random() * 20);
      }
      const read = await probe.read(reader);
      if (!isCode(read, '9503')) lose(`${kind}: a read is answered: ${describe(read)}`);
      const response = await readiness(server.url);
      if (!response.includes(path)) lose(`${kind}: /readyz does not name the file: ${response.slice(0, 200)}`);

      const isKilled = round % 2 === 1;
      if (isKilled) {
        server.signal('SIGKILL');
        await server.exited;
      }
      if (kind === 'replaced') renameSync(path, copy);
      renameSync(right, path);
      if (isKilled) {
        await load.pause();
        // Unmodified, even in the control: its stale view of the log would keep it from starting, which proves nothing.
        server = await serve({ settings: options.settings });
        place.url = server.url;
      } else {
        const took = await untilServed(probe, 2 * RECOVERED_MS);
        resumedMs.push(took);
        if (took > RECOVERED_MS) lose(`${kind}: resumes after ${Math.round(took)} ms`);
        await load.pause();
      }
      acknowledged += load.counts().acknowledged;
      for (const loss of [...(await checkAll(load)), ...load.unexpected.splice(0)]) lose(`${kind}: ${loss}`);
      for (const problem of inspectFile(path)) lose(`${kind}: ${problem}`);
      for (const problem of inspectFile(copy)) lose(`${kind}, the copy: ${problem}`);
      await end(server);
    });
  }
  context.report(`${acknowledged} acts acknowledged`);
  context.report(`resumed after ${worst(resumedMs)} ms`);
}

/** What a failing /readyz says, as soon as it fails. */
async function readiness(url: string): Promise<string> {
  let said = '';
  for (const deadline = performance.now() + NOTICED_MS; performance.now() < deadline; await sleep(50)) {
    const response = await fetch(`${url}/readyz`);
    said = `${response.status} ${await response.text()}`;
    if (response.status === 503) return said;
  }
  return said;
}
