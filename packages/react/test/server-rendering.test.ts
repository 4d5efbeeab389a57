import { QueryClient } from '@tanstack/react-query';
import { createElement, StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../../scripts/build-package.js';
import { createOptionsClient } from '../../client/src/index.ts';
import { createUsersClient } from '../../client/src/users.ts';
import { DEMO_CATALOG } from '../../server/src/demo/catalog.ts';
import { databases } from '../../server/test/databases.ts';
import { withCatalog } from '../../server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer } from '../../server/test/http/start.ts';
import type * as Package from '../src/index.ts';

let service: TestServer;
let innkeeper: typeof Package;
beforeAll(async () => {
  // As it is published: Node runs no JSX.
  await buildPackage('react');
  innkeeper = await import(new URL('../dist/index.js', import.meta.url).href);
  service = await startTestServer((await databases[0]?.fresh()) as string);
});
afterAll(() => service.close());

test('a server renders the form as it is filled in, or that it is loading', async () => {
  const { InnkeeperProvider, OptionsForm, scopeOf, optionGroupsQuery, optionKeysQuery, selectionsQuery } = innkeeper;
  const { application } = await withCatalog(service, DEMO_CATALOG);
  const users = createUsersClient({ baseUrl: service.url, ...application });
  const user = { clientUserId: 'ada', clientUserName: 'Ada' };
  const accessToken = (await users.signIn(user)).access_token;
  const connection = { baseUrl: service.url, apiKey: application.clientId };
  const client = createOptionsClient({ ...connection, accessToken });
  await client.save('appearance.theme', 'dark');

  const queryClient = new QueryClient();
  const wanted = { group: 'appearance', language: 'de' };
  await queryClient.prefetchQuery(optionGroupsQuery(client, scopeOf(connection), wanted));
  await queryClient.prefetchQuery(optionKeysQuery(client, scopeOf(connection), wanted));
  await queryClient.prefetchQuery(selectionsQuery(client, scopeOf(connection), wanted));

  const render = (filled?: QueryClient) =>
    renderToString(
      createElement(
        StrictMode,
        null,
        createElement(
          InnkeeperProvider,
          { ...connection, accessToken, language: 'de', queryClient: filled },
          createElement(OptionsForm, { group: 'appearance' }),
        ),
      ),
    );
  const html = render(queryClient);
  expect(html).toMatch(/<form[^>]* lang="de" dir="ltr"/);
  expect(html).toContain('Farbschema');
  expect(html).toMatch(/<input[^>]*checked=""[^>]*\/?><bdi>Dunkel/);
  expect(html).toMatch(/<input[^>]* value="20"/);
  expect(render()).toContain('Wird geladen …');

  const replaced = renderToString(
    createElement(
      InnkeeperProvider,
      { ...connection, accessToken, language: 'de', queryClient },
      createElement(OptionsForm, { group: 'appearance', title: null, parts: { RadioList: () => 'replaced' } }),
    ),
  );
  expect(replaced).toContain('replaced');
  expect(replaced).not.toContain('Dunkel');
  expect(() => renderToString(createElement(OptionsForm, { group: 'appearance' }))).toThrow('<InnkeeperProvider>');
});
