import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServeProcess, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { PostgresServer } from '../../packages/server/test/postgres-server.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { postgresFor, sqliteIn } from '../databases.ts';
import { type FakeClock, fakeClock } from '../fake-clock.ts';
import { countRows, type SeedData, settle } from '../seed-data.ts';
import { SETTINGS } from '../stage.ts';
import { worst } from '../worst.ts';

const HOUR = 3_600;
const OFFSETS = { '+2 h': 2 * HOUR, '+2 years': 730 * 24 * HOUR, '-24 h': -24 * HOUR };
type Try = { database: 'postgres' | 'sqlite'; offset: keyof typeof OFFSETS; when: 'running' | 'starting' };

/** All of them; a short run begins with the most significant ones. */
const TRIES: Try[] = [
  { database: 'postgres', offset: '+2 h', when: 'running' },
  { database: 'sqlite', offset: '+2 years', when: 'running' },
  { database: 'postgres', offset: '-24 h', when: 'starting' },
  { database: 'sqlite', offset: '+2 h', when: 'starting' },
  { database: 'postgres', offset: '+2 years', when: 'running' },
  { database: 'sqlite', offset: '-24 h', when: 'running' },
  { database: 'postgres', offset: '+2 h', when: 'starting' },
  { database: 'sqlite', offset: '+2 years', when: 'starting' },
  { database: 'postgres', offset: '-24 h', when: 'running' },
  { database: 'sqlite', offset: '+2 h', when: 'running' },
  { database: 'postgres', offset: '+2 years', when: 'starting' },
  { database: 'sqlite', offset: '-24 h', when: 'starting' },
];

/** Purges twice a second instead of once a minute: nothing else in the service repeats about once a minute. */
const HURRY = `
  const { setInterval } = globalThis;
  globalThis.setInterval = (run, ms, ...args) => setInterval(run, ms > 40_000 && ms < 80_000 ? 500 : ms, ...args);
`;
const HURRIED = ['--import', `data:text/javascript,${encodeURIComponent(HURRY)}`];
const CONTROL = ['--import', new URL('../controls/purges-by-own-clock.ts', import.meta.url).href];
/** Several purges, each with the wrong clock. */
const WRONG_MS = 3_000;
const NOTICED_MS = 20_000;

export const clock: Campaign = {
  name: 'clock',
  title:
    'the clock of a replica is off by +2 h, +2 years and -24 h (libfaketime), while it runs and before it starts, on both databases, with purges every half second',
  promise:
    'no data is lost or dated in the future, everyone can sign in afterwards, and the problem is reported (on SQLite not +2 h before a start, which looks like a pause)',
  operatorSees:
    '`serve` refuses to start and names the difference; problem `clock` in `/readyz` and `doctor`; `innkeeper_clock_skew_seconds`; a warning',
  unit: 'wrong clocks',
  times: { short: 3, full: TRIES.length },
  run: (context) => run(context, HURRIED),
  control: {
    what: 'a replica that purges by its own clock',
    times: 2,
    run: (context) => run(context, [...HURRIED, ...CONTROL]),
  },
};

async function run(context: CampaignContext, nodeArgs: string[]): Promise<void> {
  const postgres = await postgresFor(context);
  const noticedMs: number[] = [];
  let refused = 0;
  for (let index = 0; index < context.times; index++) {
    const trying = TRIES[index % TRIES.length] as Try;
    await context.attempt(async (loseThis) => {
      const lose = (what: string) => loseThis(`${trying.database}, ${trying.offset}, ${trying.when}: ${what}`);
      const stage = await openStage(context, trying, postgres, nodeArgs);
      try {
        const before = await countRows(stage.databaseUrl);
        const noticed = await stage.goWrong();
        if (noticed === undefined) lose('no problem is reported');
        else if (noticed === 'refused') refused++;
        else if (noticed !== 'unseen') noticedMs.push(noticed);
        await stage.comeRight();
        for (const loss of await stage.seeded.check(before)) lose(loss);
      } finally {
        await stage.close();
      }
    });
  }
  if (noticedMs.length > 0) context.report(`reported after ${worst(noticedMs)} ms`);
  context.report(`${refused} starts refused`);
}

type Stage = {
  databaseUrl: string;
  seeded: SeedData;
  /** After how many milliseconds /readyz reported it; `refused`: it did not start; `unseen`: it cannot be detected. */
  goWrong(): Promise<number | 'refused' | 'unseen' | undefined>;
  comeRight(): Promise<void>;
  close(): Promise<void>;
};

async function openStage(
  context: CampaignContext,
  trying: Try,
  postgres: PostgresServer,
  nodeArgs: string[],
): Promise<Stage> {
  const folder = mkdtempSync(join(context.folder, 'clock-'));
  const databaseUrl = trying.database === 'sqlite' ? sqliteIn(folder) : await postgres.createDatabase();
  const time: FakeClock = fakeClock(join(folder, 'clock'));
  const settings = { ...SETTINGS, logLevel: 'warn', databaseUrl };
  const start = (failing = false) => serve({ settings, env: time.env, nodeArgs, failing });
  const stop = async (server: ServeProcess | undefined): Promise<void> => {
    server?.signal('SIGTERM');
    await server?.exited;
  };
  const seeded = await settle(databaseUrl, start);
  let { server }: { server: ServeProcess | undefined } = seeded;
  const isRefused = trying.database === 'postgres' && trying.when === 'starting';
  /** Off for two hours: normal, so it purges nothing and is not reported. */
  const isUnseen = trying.database === 'sqlite' && trying.when === 'starting' && trying.offset === '+2 h';

  return {
    databaseUrl,
    seeded,
    async goWrong() {
      if (trying.when === 'starting') await stop(server);
      time.set(OFFSETS[trying.offset]);
      if (trying.when === 'starting') server = await start(isRefused);
      if (isRefused) return untilRefused(server as ServeProcess);
      const began = performance.now();
      const isNoticed = await untilNoticed(server as ServeProcess);
      const noticedMs = performance.now() - began;
      const url = (server as ServeProcess).url;
      await seeded.signIn(url, { email: `${randomUUID()}@example.com` });
      await seeded.exchange(url);
      await sleep(WRONG_MS);
      if (isUnseen) return 'unseen';
      return isNoticed ? noticedMs : undefined;
    },
    async comeRight() {
      if (trying.when === 'starting') await stop(server);
      time.set(0);
      if (trying.when === 'starting') server = await start();
      await untilRight(server as ServeProcess);
      seeded.server = server as ServeProcess;
    },
    close: () => stop(server),
  };

  async function untilNoticed({ url, logs }: ServeProcess): Promise<boolean> {
    for (const deadline = performance.now() + (isUnseen ? 0 : NOTICED_MS); performance.now() < deadline; ) {
      const body = await (await fetch(`${url}/readyz`)).text();
      if (/clock of this machine|"clock"/.test(body) && logs().some(({ msg }) => String(msg).includes('NTP')))
        return true;
      // The control never reports it.
      if (nodeArgs.length > HURRIED.length) return false;
      await sleep(100);
    }
    return false;
  }
}

async function untilRefused(server: ServeProcess): Promise<'refused' | undefined> {
  const gone = await Promise.race([server.exited, sleep(NOTICED_MS)]);
  return gone?.code === 1 && server.stderr().includes('NTP') ? 'refused' : undefined;
}

async function untilRight({ url }: ServeProcess): Promise<void> {
  for (const deadline = performance.now() + NOTICED_MS; performance.now() < deadline; await sleep(100)) {
    const response = await fetch(`${url}/readyz`);
    if (response.ok && !(await response.text()).includes('"clock"')) return;
  }
  throw new Error('The service still reports a wrong clock.');
}
