import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import { startBystanders } from '../bystanders.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace, type Place } from '../client.ts';
import { startNaiveServer } from '../controls/naive-server.ts';
import { sqliteIn } from '../databases.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { worst } from '../worst.ts';

/** Ten seconds, and some for a busy machine. */
const CUT_MS = 10_500;
const GIVEN_UP_MS = 16_000;
const TRICKLE_MS = 500;
const MAX = 2;
const QUIET_MS = 5_000;

/** The part that is sent at once, and the part that follows byte by byte. */
const KINDS: { name: string; head: string; rest: string }[] = [
  { name: 'nothing', head: '', rest: '' },
  { name: 'headers, a byte at a time', head: 'GET /livez HTTP/1.1\r\nHost: localhost\r\n', rest: 'X-Slow: 1\r\n' },
  {
    name: 'a body, a byte at a time',
    head: 'POST /api/v2/app/create-user HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"a":"',
    rest: 'x',
  },
  {
    name: 'a body that never comes',
    head: 'POST /oauth/v2/get-access-token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n',
    rest: '',
  },
];

export const slowClients: Campaign = {
  name: 'slow-clients',
  title: 'sockets that send nothing, or a byte every half second, all at once',
  promise: `each is closed within 10 s; the p99 of others is at most ${MAX} × that without them`,
  operatorSees: '408',
  unit: 'sockets',
  times: { short: 400, full: 2_000 },
  async run(context) {
    const databaseUrl = sqliteIn(context.folder);
    const application = await setStage(databaseUrl);
    const server = await serve({ settings: { ...SETTINGS, databaseUrl } });
    context.defer(() => end(server));
    const place = await openPlace(server.url, application);
    const bystanders = startBystanders(context, place);
    await sleep(QUIET_MS);
    bystanders.during('fault');
    await run(context, place);
    bystanders.during('quiet');
    await sleep(QUIET_MS);
    await bystanders.stop();
    bystanders.judge(MAX);
  },
  control: {
    what: "Node's default time limits",
    times: 20,
    async run(context) {
      const naive = await startNaiveServer();
      context.defer(() => naive.close());
      await run(context, naive.place);
    },
  },
};

async function run(context: CampaignContext, place: Place): Promise<void> {
  const cutMs: number[] = [];
  await Promise.all(
    Array.from({ length: context.times }, (_, index) =>
      context.attempt(async (lose) => {
        const { name, head, rest } = KINDS[index % KINDS.length] as (typeof KINDS)[number];
        const socket = connect(Number(new URL(place.url).port), '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        const before = performance.now();
        socket.write(head);
        let at = 0;
        const trickling = setInterval(() => socket.write(rest.charAt(at++ % rest.length)), TRICKLE_MS);
        // After an error response, a polite client stops.
        socket.resume().on('end', () => clearInterval(trickling));
        const giveUp = setTimeout(() => socket.destroy(), GIVEN_UP_MS);
        await once(socket, 'close');
        clearInterval(trickling);
        clearTimeout(giveUp);
        const took = performance.now() - before;
        cutMs.push(took);
        if (took > CUT_MS) lose(`${name}: not cut off after ${Math.round(took)} ms`);
      }),
    ),
  );
  context.report(
    `cut off after ${worst(
      cutMs.map((ms) => ms / 1000),
      1,
    )} s`,
  );
}
