// npm run screenshots [-- NAME…]
//
// Takes a screenshot of every page of the portal, light and dark, desktop and phone, with the demo's catalog and some
// users, into screenshots/. With names, takes only the pages whose name contains one of them. With --docs, copies those
// that the guide shows to docs/images/.

import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { fillDemo } from '../packages/server/src/demo/make-demo.ts';
import { createApplication } from '../packages/server/src/domain/applications/application.ts';
import { chromiumHere } from '../packages/server/test/browser.ts';
import { startTestServer, type TestServer } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { signInToken } from '../packages/server/test/portal/portal.ts';

const OUT = join(import.meta.dirname, '../screenshots');
const DEVICES = { desktop: { width: 1280, height: 800 }, phone: { width: 380, height: 760 } } as const;
const USERS = [
  'Ada',
  'Béla',
  'Chloé',
  'Dmitri',
  'Émile',
  'Fatima',
  'Grace',
  'Hedy',
  'İlhan',
  'Joan',
  'Katalin',
  'Linus',
];

type Demo = { clientId: string; userUid: string };

const PAGES: Record<string, (demo: Demo) => string> = {
  applications: () => '',
  account: () => '/account',
  'installation-audit': () => '/audit',
  overview: ({ clientId }) => `/applications/${clientId}`,
  catalog: ({ clientId }) => `/applications/${clientId}/catalog`,
  translations: ({ clientId }) => `/applications/${clientId}/translations`,
  revisions: ({ clientId }) => `/applications/${clientId}/revisions`,
  users: ({ clientId }) => `/applications/${clientId}/users`,
  user: ({ clientId, userUid }) => `/applications/${clientId}/users/${userUid}`,
  insights: ({ clientId }) => `/applications/${clientId}/insights`,
  requests: ({ clientId }) => `/applications/${clientId}/requests`,
  events: ({ clientId }) => `/applications/${clientId}/events`,
  audit: ({ clientId }) => `/applications/${clientId}/audit`,
  connect: ({ clientId }) => `/applications/${clientId}/connect`,
  credentials: ({ clientId }) => `/applications/${clientId}/credentials`,
  webhooks: ({ clientId }) => `/applications/${clientId}/webhooks`,
  members: ({ clientId }) => `/applications/${clientId}/members`,
};

const DOCS = {
  'overview-desktop-light': 'portal-overview',
  'translations-desktop-dark': 'portal-translations',
  'users-desktop-light': 'portal-users',
  'insights-desktop-light': 'portal-insights',
} as const;
const IMAGES = join(import.meta.dirname, '../docs/images');

const isForDocs = process.argv.includes('--docs');
const wanted = process.argv.slice(2).filter((word) => word !== '--docs');
const pages = Object.entries(PAGES).filter(
  ([name]) => wanted.length === 0 || wanted.some((each) => name.includes(each)),
);
const folder = await mkdtemp(join(tmpdir(), 'innkeeper-screenshots-'));
const server = await startTestServer(`sqlite:${join(folder, 'data.db')}`);
const browser = await chromium.launch(await chromiumHere());
try {
  const demo = await makeDemo(server);
  await mkdir(OUT, { recursive: true });
  for (const [device, viewport] of Object.entries(DEVICES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const window = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' });
      const page = await window.newPage();
      await page.goto(`${server.url}/portal/sign-in#${await signInToken(server)}`);
      await shoot(page, `sign-in-${device}-${colorScheme}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: /^Account / }).waitFor();
      for (const [name, path] of pages) {
        await page.goto(`${server.url}/portal${path(demo)}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await shoot(page, `${name}-${device}-${colorScheme}`);
      }
      await window.close();
    }
  }
  console.log(`${pages.length + 1} pages, each four times, in ${OUT}`);
} finally {
  await browser.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const path = join(OUT, `${name}.png`);
  await page.screenshot({ path });
  const shown = Object.entries(DOCS).find(([shot]) => shot === name)?.[1];
  if (isForDocs && shown) await copyFile(path, join(IMAGES, `${shown}.png`));
}

/** Creates the demo application and its users' selections through the API, as any application would. */
async function makeDemo(server: TestServer): Promise<Demo> {
  const { service, post, send } = server;
  const { storage, keyring } = service;
  const application = await createApplication(storage, keyring, 'Demo', Date.now());
  const { clientId, clientSecret } = await fillDemo(storage, keyring, application, Date.now());
  const keys = await send('GET', '/api/option_keys', { headers: { apiKey: clientId } });
  const all = keys.json.items as { option_key_uid: string; option_group_uid: string; name: string }[];
  const choices: Record<string, unknown[]> = { newsletter: [true], theme: ['dark'], channels: ['email', 'push'] };
  let userUid = '';
  for (const [index, name] of USERS.entries()) {
    const clientUserId = `${name.toLowerCase()}@example.com`;
    const created = await post('/api/v2/app/create-user', {
      clientId,
      clientSecret,
      clientUserId,
      clientUserName: name,
    });
    const { specialToken } =
      created.status === 200 ? created.json : await again(post, clientId, clientSecret, clientUserId);
    const { json } = await post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    userUid = String(json.service_user_code);
    for (const { option_key_uid, option_group_uid, name: key } of all) {
      const value = choices[key];
      if (!value || (index % 3 === 0 && key === 'theme')) continue;
      const body = {
        user_uid: userUid,
        option_group_uid,
        option_key_uid,
        value: key === 'theme' && index % 2 ? ['light'] : value,
      };
      await post('/api/user_options', body, { apiKey: clientId });
    }
  }
  await post('/api/v2/app/create-user', { clientId, clientSecret: 'wrong', clientUserId: 'x', clientUserName: 'x' });
  await addPast(service, Number(clientId.split('_')[0]));
  const manage = await manageWith(server, { name: 'deploy' });
  const path = `/applications/${clientId}`;
  await manage.send('POST', `${path}/webhooks`, {
    url: 'https://app.example.com/innkeeper-events',
    types: ['selection.saved', 'selection.unset'],
    description: 'Mailing list',
  });
  await manage.send('POST', `${path}/webhooks`, {
    url: 'https://crm.example.com/hooks/innkeeper',
    types: ['user.deleted'],
  });
  const source = [{ path: 'appearance/theme', language: 'en', text: 'Colour theme' }];
  await manage.send('PATCH', `${path}/catalog/translations`, { texts: source }, { 'if-match': '*' });
  const listed = await manage.get(`${path}/catalog/translations?search=theme%3D`);
  const texts = (listed.json.items as { path: string; source: string; texts: Record<string, string> }[]).map((row) => ({
    path: row.path,
    source: row.source,
    language: 'de',
    text: row.texts.de,
  }));
  await manage.send('POST', `${path}/catalog/translations/review`, { texts });
  await manage.send('PATCH', path, { name: 'Demo', settings: { accessTokenTtl: '2h', saveByUserUid: 'secret' } });
  await manage.send('PATCH', path, { settings: { accessTokenTtl: '1h', saveByUserUid: null } });
  await manage.send('POST', `${path}/secrets`, { overlap: '24h' });
  await manage.send('POST', `${path}/users/${userUid}/special-token`);
  await manage.send('POST', '/applications', { name: 'Demo for iOS' });
  return { clientId, userUid };
}

/** Adds a month of activity, with more during the day and on working days. */
async function addPast({ storage }: TestServer['service'], appId: number): Promise<void> {
  const HOUR = 3_600_000;
  const rows = Array.from({ length: 30 * 24 }, (_, hours) => {
    const lastAt = Date.now() - (hours + 1) * HOUR;
    const time = new Date(lastAt);
    const day = Math.max(0, Math.sin(((time.getUTCHours() - 5) / 24) * 2 * Math.PI) + 0.35);
    const busy = day * (time.getUTCDay() % 6 === 0 ? 0.4 : 1) * (1 - hours / 1500);
    const row = (name: string, count: number) => ({ appId, name, count: Math.round(count), lastAt });
    return [
      row('requests', busy * 240 + 12),
      row('error:1008', busy * 9),
      row('error:0001', busy * 3 + (hours % 7 === 0 ? 2 : 0)),
      row('usersCreated', busy * 11 + 1),
      row('usersErased', busy * 2),
      row('tokensIssued', busy * 40 + 2),
      row('selectionsSaved', busy * 60 + 3),
      row('selectionsUnset', busy * 5),
    ];
  });
  await storage.activity.add(rows.flat());
}

async function again(
  post: TestServer['post'],
  clientId: string,
  clientSecret: string,
  clientUserId: string,
): Promise<Record<string, unknown>> {
  return (await post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId })).json;
}
