import { Webhook } from 'standardwebhooks';
import { totpCode } from '../../src/domain/accounts/confirm-identity.ts';
import type { Receiver } from '../events/receiver.ts';
import { makeTestUser, PATH } from '../http/options/test-user.ts';
import { basic, bearer, makeUser, type TestServer, uniqueName } from '../http/start.ts';
import { manageAs, manageWith } from '../manage/manage.ts';
import { fromBase32, openSession, PASSWORD, signedIn, visitorWith } from '../portal/portal.ts';

const STEP = 30_000;
/** A code works only once, so each is used a minute after the previous one, on all servers. */
let offset = 0;

/** Creates everything that depends on INNKEEPER_SECRET on one server, for use on others with the same database. */
export async function seedData(server: TestServer, receiver: Receiver) {
  const testUser = await makeTestUser(server);
  const { application, user } = testUser;
  const { clientId, clientSecret } = application;
  const specialTokens: string[] = [];
  for (let at = 0; at < 6; at++) specialTokens.push((await makeUser(server, application)).specialToken);
  const manage = await manageWith(server);
  const hooks = `/applications/${clientId}/webhooks`;
  const webhook = (await manage.send('POST', hooks, { url: `${receiver.url}/${clientId}` })).json;
  const events = `/api/v2/app/${clientId}/events`;
  const cursor = (await server.send('GET', `${events}?limit=2`, { headers: basic(application) })).json.next;
  const linkPath = `/api/v2/app/${clientId}/users/${user.userCode}/preference-link`;
  const link = new URL(String((await server.post(linkPath, {}, basic(application))).json.url)).pathname;
  const email = `${uniqueName()}@example.com`;
  const visitor = await signedIn(server, email);
  await visitor.send('PUT', '/account/password', { password: PASSWORD });
  const begun = await visitor.send('POST', '/account/totp', { password: PASSWORD });
  const totp = fromBase32(String(begun.json.secret));
  const withCode = async <T>(on: TestServer, use: (code: string) => Promise<T>): Promise<T> => {
    const { now } = on.service;
    offset += 2 * STEP;
    on.service.now = () => now() + offset;
    const outcome = await use(totpCode(totp, Math.floor(on.service.now() / STEP)));
    on.service.now = now;
    return outcome;
  };
  const confirmed = await withCode(server, (code) => visitor.send('PUT', '/account/totp', { code }));
  const recoveryCodes = confirmed.json.recoveryCodes as string[];

  let uses = 1;
  /** Uses each of them; returns what does not work. */
  async function failures(on: TestServer): Promise<string[]> {
    const byCode = async (code: string | undefined) =>
      (await openSession(on, { email, password: PASSWORD, code })).status;
    // One by one, because hashing a password takes longer than everything else.
    uses += 1;
    const bySecondFactor = uses % 2 === 0 ? 'totp' : 'recovery code';
    const exchange = { clientSecret, specialToken: specialTokens.pop() };
    receiver.received.length = 0;
    const tested = await manageAs(on, manage.token).send('POST', `${hooks}/${webhook.webhookId}/test`);
    const [sent] = receiver.received;
    const statuses: Record<string, number> = {
      'client secret': (await on.send('GET', `/api/v2/app/${clientId}/users`, { headers: basic(application) })).status,
      'special token': (await on.post('/oauth/v2/get-access-token', exchange)).status,
      'access token': (await on.send('GET', PATH, { headers: { ...testUser.apiKey, ...bearer(user.accessToken) } }))
        .status,
      'personal access token': (await manageAs(on, manage.token).get('/applications')).status,
      session: (await visitorWith(on, visitor.cookie).send('GET', '/session')).status,
      [bySecondFactor]:
        (await withCode(on, (code) => byCode(uses % 2 === 0 ? code : recoveryCodes.pop()))) === 201 ? 200 : 401,
      cursor: (await on.send('GET', `${events}?after=${cursor}`, { headers: basic(application) })).status,
      webhook: tested.status,
      'preference link': (await on.send('GET', link)).status,
    };
    if (sent) new Webhook(String(webhook.secret)).verify(sent.body, sent.headers as Record<string, string>);
    else statuses.webhook = 0;
    return Object.entries(statuses).flatMap(([what, status]) => (status === 200 ? [] : [`${what}: ${status}`]));
  }
  return { failures };
}
