import fc from 'fast-check';
import { renderOpenapiDoc } from '../../packages/server/scripts/write-openapi.ts';
import { fillDemo } from '../../packages/server/src/demo/make-demo.ts';
import type { OpenApiDocument } from '../../packages/server/src/http/docs/describe-api.ts';
import { withoutReferences } from '../../packages/server/test/http/documented-answers.ts';
import { startTestServer, type TestServer } from '../../packages/server/test/http/start.ts';
import { manageWith } from '../../packages/server/test/manage/manage.ts';
import { arbitraryRequest, type FuzzedRequest, type StandIns } from '../arbitrary-request.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { startHopefulServer } from '../controls/hopeful-server.ts';
import { bothDatabases } from '../databases.ts';

/** How many requests go to the same application: it may be deleted by then. */
const OF_ONE_STAGE = 100;

type Target = { name: string; url: string; stage(): Promise<StandIns> };

export const fuzz: Campaign = {
  name: 'fuzz',
  title: 'random requests to every operation, from its schema and examples, to both databases',
  promise: 'no 5xx; the same status and code from both',
  operatorSees: '4xx; no error line',
  unit: 'inputs',
  times: { short: 5_000, full: 300_000 },
  run: async (context) => run(context, await realTargets(context)),
  control: { what: 'a service that does not validate bodies', times: 200, run: runHopeful },
};

async function run(context: CampaignContext, targets: Target[]): Promise<void> {
  const document = withoutReferences(JSON.parse(await renderOpenapiDoc()) as OpenApiDocument);
  const arbitrary = arbitraryRequest(document);
  const seen = new Map<string, number>();
  let stages: StandIns[] = [];
  for (let done = 0; done < context.times; ) {
    const count = Math.min(OF_ONE_STAGE, context.times - done);
    stages = await Promise.all(targets.map((target) => target.stage()));
    for (const request of fc.sample(arbitrary, count)) {
      await context.attempt(async (lose) => {
        const address = `203.0.${(done >> 8) & 255}.${done & 255}`;
        const responses = await Promise.all(
          targets.map(({ url }, at) => send(url, request, stages[at] as StandIns, address)),
        );
        const describeCase = () => `${responses.join(' and ')}: ${JSON.stringify(request).slice(0, 600)}`;
        if (responses.some((response) => /^5|^no/.test(response)) || new Set(responses).size > 1) lose(describeCase());
        const [response = ''] = responses;
        seen.set(response.slice(0, 1), (seen.get(response.slice(0, 1)) ?? 0) + 1);
      });
      done++;
    }
  }
  context.report(
    [...seen]
      .sort()
      .map(([kind, count]) => `${count.toLocaleString('en')} × ${kind}xx`)
      .join(', '),
  );
}

/** The two databases must agree on the status and the code; ids differ. */
async function send(
  url: string,
  { method, path, headers, body }: FuzzedRequest,
  stage: StandIns,
  address: string,
): Promise<string> {
  const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (all, name: keyof StandIns) => stage[name] ?? all);
  // From another address each time, so that none is throttled.
  const sent: Record<string, string> = { 'x-forwarded-for': address };
  for (const [name, value] of Object.entries(headers)) {
    const filled = fill(value);
    sent[name] =
      filled.startsWith('Basic ') && filled.includes(':')
        ? `Basic ${Buffer.from(filled.slice(6)).toString('base64')}`
        : filled;
  }
  try {
    const response = await fetch(url + fill(path), {
      method,
      headers: sent,
      redirect: 'manual',
      ...(body !== undefined && { body: fill(body) }),
    });
    const text = await readText(response);
    const code =
      response.status >= 400 && text.startsWith('{') ? String((JSON.parse(text) as { code?: unknown }).code) : '';
    return `${response.status} ${code}`;
  } catch (error) {
    return `no response (${String(error)})`;
  }
}

/** A stream of events has no end. */
async function readText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

async function realTargets(context: CampaignContext): Promise<Target[]> {
  const targets: Target[] = [];
  for (const { kind, url } of await bothDatabases(context)) {
    const server = await startTestServer(url, { trustedProxies: '127.0.0.1' });
    context.defer(() => server.close());
    targets.push({ name: kind, url: server.url, stage: () => makeStage(server) });
  }
  return targets;
}

async function makeStage(server: TestServer): Promise<StandIns> {
  const { storage, keyring } = server.service;
  const application = await server.application();
  const { clientId, clientSecret, appId } = application;
  const { ada: userCode, theme } = await fillDemo(storage, keyring, application, Date.now());
  const issue = async () =>
    (await server.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId: 'ada@example.com' })).json;
  const granted = await server.post('/oauth/v2/get-access-token', {
    clientSecret,
    specialToken: (await issue()).specialToken,
  });
  // An installation has a limited number of them.
  for (const { tokenId } of await storage.manageTokens.list()) await storage.manageTokens.revoke(tokenId);
  const { token: manageToken } = await manageWith(server, { appIds: [appId] });
  const specialToken = String((await issue()).specialToken);
  return {
    clientId,
    clientSecret,
    specialToken,
    accessToken: String(granted.json.access_token),
    userCode,
    ...theme,
    manageToken,
  };
}

async function runHopeful(context: CampaignContext): Promise<void> {
  const server = await startHopefulServer();
  context.defer(() => server.close());
  const stage = async () => ({}) as StandIns;
  await run(context, [{ name: 'hopeful', url: server.url, stage }]);
}
