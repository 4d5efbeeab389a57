import { createElement, StrictMode } from 'react';
import { renderToReadableStream, renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../../scripts/build-package.js';
import { createOptionsClient, createSelectionStore, type StoreData } from '../../client/src/index.ts';
import { createUsersClient } from '../../client/src/users.ts';
import { DEMO_CATALOG } from '../../server/src/demo/make-demo.ts';
import { databases } from '../../server/test/databases.ts';
import { withCatalog } from '../../server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer } from '../../server/test/http/start.ts';
import type * as Package from '../src/index.ts';
import type * as ServerPart from '../src/server.tsx';

let service: TestServer;
let innkeeper: typeof Package;
beforeAll(async () => {
  // As published, because Node does not run JSX.
  await buildPackage('react');
  innkeeper = await import(new URL('../dist/index.js', import.meta.url).href);
  service = await startTestServer((await databases[0]?.fresh()) as string);
});
afterAll(() => service.close());

test('a server renders the filled form, or that it is loading', async () => {
  const { InnkeeperProvider, OptionsForm, OptionField } = innkeeper;
  const { application } = await withCatalog(service, DEMO_CATALOG);
  const users = createUsersClient({ baseUrl: service.url, ...application });
  const { access_token } = await users.signIn({ clientUserId: 'ada', clientUserName: 'Ada' });
  const client = createOptionsClient({
    baseUrl: service.url,
    apiKey: application.clientId,
    accessToken: access_token,
  });
  await client.save('appearance.theme', 'dark');
  const store = createSelectionStore(client, { userId: 'ada', language: 'de' });
  await store.refresh();

  const render = (data: StoreData | undefined, ...children: ReturnType<typeof createElement>[]) =>
    renderToString(
      createElement(
        StrictMode,
        null,
        createElement(InnkeeperProvider, { client, userId: 'ada', language: 'de', data }, ...children),
      ),
    );
  const form = createElement(OptionsForm, { group: 'appearance' });
  const html = render(JSON.parse(JSON.stringify(store.data())), form);
  expect(html).toMatch(/<form[^>]* lang="de" dir="ltr"/);
  expect(html).toContain('Farbschema');
  expect(html).toMatch(/<input[^>]*checked=""[^>]*\/?><bdi>Dunkel/);
  expect(html).toMatch(/<input[^>]* value="20"/);
  expect(render(undefined, form)).toContain('Wird geladen …');

  const replaced = render(
    store.data(),
    createElement(OptionsForm, { group: 'appearance', title: null, parts: { RadioList: () => 'replaced' } }),
  );
  expect(replaced).toContain('replaced');
  expect(replaced).not.toContain('Dunkel');
  const one = render(store.data(), createElement(OptionField, { name: 'appearance.theme', readOnly: true }));
  expect(one).toMatch(/<input[^>]*disabled=""[^>]*\/?><bdi>Dunkel/);
  expect(() => renderToString(form)).toThrow('<InnkeeperProvider>');
});

test("a server component links to a user's preference page", async () => {
  const { PreferenceLink }: typeof ServerPart = await import(new URL('../dist/server.js', import.meta.url).href);
  const { application } = await withCatalog(service, DEMO_CATALOG);
  const users = createUsersClient({ baseUrl: service.url, ...application });
  await users.createUser({ clientUserId: 'grace', clientUserName: 'Grace' });
  const { service_user_code } = await users.get({ clientUserId: 'grace' });
  const props = { users, userId: service_user_code, groups: ['appearance'], language: 'de', className: 'quiet' };
  const html = await new Response(
    await renderToReadableStream(createElement(PreferenceLink as never, props, 'Preferences')),
  ).text();
  const [, url = ''] = /<a rel="noreferrer" class="quiet" href="([^"]+)">Preferences<\/a>/.exec(html) ?? [];
  const page = await (await fetch(url)).text();
  expect(page).toContain('Farbschema');
  expect(page).not.toContain('Newsletter');
});
