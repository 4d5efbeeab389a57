import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import {
  type OidcProviderProcess,
  startOidcProvider,
} from '../../packages/server/test/tokens/oidc-provider-process.ts';
import { startBystanders } from '../bystanders.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { isCode } from '../check-user.ts';
import { Client, describe, isDone, openPlace, type Place, type TestUser } from '../client.ts';
import { startNaiveServer } from '../controls/naive-server.ts';
import { sqliteIn } from '../databases.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { worst } from '../worst.ts';

const FAULTS = ['refused', 'black-hole', '5xx', 'slow', 'garbage'] as const;
const AT_ONCE = 8;
const ANSWER_MS = 3_000;
const MAX = 1.2;

type Fail = (fault: Parameters<OidcProviderProcess['fail']>[0]) => Promise<void>;

export const tokenService: Campaign = {
  name: 'token-service',
  title: `the OAuth 2.0 server in turn refuses connections, hangs, returns 5xx, is slow (2.5 s) or returns garbage; ${AT_ONCE} exchanges each time`,
  promise: `0009 or 0002 within 3 s, the specialToken stays valid, the first exchange afterwards succeeds, and the p99 of the options API is at most ${MAX} × that without the fault`,
  operatorSees: '0009 or 0002; `doctor` names the token service',
  unit: 'outages',
  times: { short: 10, full: 250 },
  async run(context) {
    const provider = await startOidcProvider();
    context.defer(() => provider.stop());
    const databaseUrl = sqliteIn(context.folder);
    const application = await setStage(databaseUrl);
    const server = await serve({
      settings: {
        ...{ ...SETTINGS, logLevel: 'fatal', databaseUrl },
        tokenServiceUrl: provider.url,
        tokenServiceClientId: provider.clientId,
        tokenServiceClientSecret: provider.clientSecret,
      },
    });
    context.defer(() => end(server));
    await provider.trust({ trustJwksUrl: `${server.url}/oauth/v2/jwks` });
    const place = await openPlace(server.url, application);
    const bystanders = startBystanders(context, place);
    await sleep(1_000);
    await run(context, place, async (fault) => {
      bystanders.during(fault === 'none' ? 'quiet' : 'fault');
      await provider.fail(fault);
    });
    await bystanders.stop();
    bystanders.judge(MAX);
  },
  control: {
    what: 'a token that is spent before the call',
    times: 5,
    async run(context) {
      const naive = await startNaiveServer();
      context.defer(() => naive.close());
      await run(context, naive.place, async (fault) => {
        naive.tokenService.isThere = fault === 'none';
      });
    },
  },
};

async function run(context: CampaignContext, place: Place, fail: Fail): Promise<void> {
  const clients = Array.from({ length: AT_ONCE }, () => new Client(place));
  context.defer(() => clients.map((client) => client.close()));
  const answeredMs: number[] = [];
  const goodMs: number[] = [];
  // The first exchange of an OAuth 2.0 server that has just started can take longer than the time limit.
  await clients[0]?.exchange(await (clients[0] as Client).create());
  for (let round = 0; round < context.times; round++) {
    const fault = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number];
    await context.attempt(async (lose) => {
      const users = await Promise.all(clients.map((client) => client.create()));
      await fail(fault);
      await Promise.all(
        clients.map(async (client, index) => {
          const { specialToken = '' } = users[index] as TestUser;
          const before = performance.now();
          const outcome = await client.exchange({ ...(users[index] as TestUser), specialToken });
          const took = performance.now() - before;
          answeredMs.push(took);
          if (!isCode(outcome, '0009') && !isCode(outcome, '0002')) lose(`${fault}: ${describe(outcome)}`);
          if (took > ANSWER_MS) lose(`${fault}: answered after ${Math.round(took)} ms`);
        }),
      );
      await fail('none');
      const before = performance.now();
      await Promise.all(clients.map((client, index) => expectServed(client, users[index] as TestUser, fault, lose)));
      goodMs.push(performance.now() - before);
    });
  }
  context.report(`answered in ${worst(answeredMs)} ms`);
  context.report(`tokens issued again ${worst(goodMs)} ms after the outage`);
}

/** No failure is cached: the first exchange after the outage is served. */
async function expectServed(
  client: Client,
  user: TestUser,
  fault: string,
  lose: (what: string) => void,
): Promise<void> {
  const outcome = await client.exchange(user);
  if (!isDone(outcome)) lose(`after ${fault} the token is not good: ${describe(outcome)}`);
}
