import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendUnknownPaths } from '../../packages/server/test/operations/send-unknown-paths.ts';
import { type ServeOptions, type ServeProcess, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { isCode } from '../check-user.ts';
import { Client, describe, isDone, openPlace } from '../client.ts';
import { ANSWERS_BEFORE_COMMIT } from '../controls/answers-before-commit.ts';
import { sqliteIn } from '../databases.ts';
import { checkAll, type LoadOptions, startLoad } from '../load.ts';
import { droppedLines, type LogFile, logFile } from '../log-file.ts';
import { end } from '../race-field.ts';
import { type SmallDisk, smallDisk } from '../small-disk.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { untilServed } from '../until-served.ts';
import { worst } from '../worst.ts';

const CLIENTS = 8;
const RECOVERED_MS = 5_000;
const FULL_MS = 10_000;
/** Requests whose log lines exceed the 4 MiB buffer for a full disk. */
const OVERFILL = 10_000;

export const diskFull: Campaign = {
  name: 'disk-full',
  title: 'the disk of database and log (a tmpfs of 64 MiB) fills under mixed load, then has space again',
  promise:
    'reads continue, writes get 503 and succeed again within 5 s, every log line is written or counted as dropped',
  operatorSees:
    '`/readyz` `read-only` with the problem `disk`; `innkeeper_writes_failing` is 1; `innkeeper_log_lines_dropped_total` and a warning',
  unit: 'times',
  times: { short: 4, full: 20 },
  run: (context) => run(context, {}, { clients: CLIENTS }),
  control: {
    what: 'a writer that responds before it commits',
    times: 2,
    run: (context) => run(context, { nodeArgs: ANSWERS_BEFORE_COMMIT }, { clients: CLIENTS, onlyCreates: true }),
  },
};

async function run(context: CampaignContext, how: ServeOptions, loadOptions: LoadOptions): Promise<void> {
  const disk = await smallDisk(context);
  const databaseUrl = sqliteIn(disk.folder);
  const application = await setStage(databaseUrl);
  const stdout = join(disk.folder, 'service.log');
  const server = await serve({ ...how, stdout, settings: { ...SETTINGS, logLevel: 'info', databaseUrl } });
  const log = logFile(stdout);
  context.defer(() => end(server));
  const place = await openPlace(server.url, application);
  const probe = new Client(place);
  const reader = await probe.create();
  await probe.exchange(reader);
  const load = startLoad(place, loadOptions);
  context.defer(() => load.close());
  const recoveredMs: number[] = [];
  let writesRefused = 0;
  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      load.resume();
      await sleep(200 + Math.random() * 200);
      const refused = load.counts().unknown;
      const deadline = performance.now() + FULL_MS;
      while (load.counts().unknown < refused + CLIENTS && performance.now() < deadline) {
        disk.fill();
        await sleep(50);
      }
      writesRefused += load.counts().unknown - refused;
      if (load.counts().unknown === refused) throw new Error('No write failed: the disk was not full.');
      const catalog = await fetch(`${server.url}/api/option_groups`, { headers: { apiKey: application.clientId } });
      if (catalog.status !== 200) lose(`a read of the catalog is answered ${catalog.status}`);
      if (how.nodeArgs === undefined) {
        const read = await probe.read(reader);
        if (!isDone(read)) lose(`a read of selections: ${describe(read)}`);
        const write = await probe.ask(reader);
        // A write that fits into the existing log file is accepted, and must be kept.
        if (!isDone(write) && !isCode(write, '9503')) lose(`a write: ${describe(write)}`);
      }
      const logged = `while-full-${round}`;
      const unknown = await fetch(`${server.url}/nowhere`, { headers: { 'x-request-id': logged } });
      if (unknown.status !== 404) lose(`an unknown path is answered ${unknown.status}`);
      if (round === 1) await overfill(server, disk);
      disk.clear();
      const took = await untilServed(probe, 2 * RECOVERED_MS);
      recoveredMs.push(took);
      if (took > RECOVERED_MS) lose(`writes are accepted again after ${Math.round(took)} ms`);
      await load.pause();
      const loss = await missingInLog(log, server, logged);
      if (loss !== undefined) lose(loss);
      for (const loss of [...(await checkAll(load)), ...load.unexpected.splice(0)]) lose(loss);
    });
  }
  context.report(`${load.counts().acknowledged} acts acknowledged, ${writesRefused} answered 503`);
  context.report(`${await droppedLines(server.url)} log lines dropped, all of them reported`);
  context.report(`writes succeeded again after ${worst(recoveredMs)} ms`);
}

/** Sends more than the log's buffer can hold, while the disk stays full. */
async function overfill(server: ServeProcess, disk: SmallDisk): Promise<void> {
  const filling = setInterval(() => disk.fill(), 50);
  try {
    await sendUnknownPaths(server.port, OVERFILL);
    if ((await droppedLines(server.url)) === 0) throw new Error('No log line was dropped: the disk was not full.');
  } finally {
    clearInterval(filling);
  }
}

/**
 * The log must catch up by itself: with the line of a request made while the disk was full, and with the count of
 * dropped lines.
 */
async function missingInLog(log: LogFile, { url }: ServeProcess, requestId: string): Promise<string | undefined> {
  const deadline = performance.now() + RECOVERED_MS;
  for (;;) {
    const dropped = await droppedLines(url);
    const { requestIds, reported } = log.read();
    if (reported === dropped && requestIds.has(requestId)) return undefined;
    if (performance.now() > deadline) {
      return `the log reports ${reported} of ${dropped} dropped lines, and has ${requestIds.has(requestId) ? '' : 'not '}the request of the full disk`;
    }
    await sleep(100);
  }
}
