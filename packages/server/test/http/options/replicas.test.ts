import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../databases.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';

describe.each(databases)('catalogs in two replicas on one $kind database', (database) => {
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    const url = await database.fresh();
    const settings = { publicUrl: 'http://innkeeper.localhost' };
    [here, there] = await Promise.all([startTestServer(url, settings), startTestServer(url, settings)]);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  test('each serves a revision published by the other within a second', async () => {
    const shop = await withCatalog(here);
    const labelIn = async (server: TestServer) => {
      const { json } = await server.send('GET', '/api/option_groups?language=de', { headers: shop.apiKey });
      return (json.items as Wire[])[0]?.label;
    };
    expect(await labelIn(there)).toBe('Küche');
    for (let round = 0; round < 5; round++) {
      const next = structuredClone(EXAMPLE);
      const [kitchen] = next.groups;
      if (kitchen?.translations) kitchen.translations.Deutsch = `Küche ${round}`;
      await shop.publish(next);
      await expect.poll(() => labelIn(there), { interval: 20 }).toBe(`Küche ${round}`);
      await expect.poll(() => labelIn(here), { interval: 20 }).toBe(`Küche ${round}`);
    }
  });

  test('a record saved in one reads the same in the other, regardless of publications since', async () => {
    const shop = await withCatalog(here);
    const user = await makeSignedInUser(here, shop.application);
    await here.post(
      '/api/user_options',
      { user_uid: user.userCode, ...(await shop.choice('fruit', ['apple'])) },
      shop.apiKey,
    );
    const read = async (server: TestServer) => {
      const headers = { ...shop.apiKey, ...bearer(user.accessToken) };
      return (await server.send('GET', '/api/user_options', { headers })).text;
    };
    const before = await read(here);
    const next = structuredClone(EXAMPLE);
    next.languages.push({ name: 'Magyar', tag: 'hu' });
    await shop.publish(next);
    expect(await read(there)).toBe(before);
    expect(await read(here)).toBe(before);
  });
});
