import { createUsersClient } from '@innkeeper/client/users';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  FAULT_NAMES,
  FAULTS,
  type FaultProxy,
  gate,
  isRead,
  isSave,
  startFaultProxy,
} from '../packages/client/test/fault-proxy.ts';
import type { CatalogFile } from '../packages/server/src/domain/catalog/file-schema.ts';
import { databases } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer, uniqueName } from '../packages/server/test/http/start.ts';
import { CATALOG } from './options-form/catalog.ts';
import { servePage } from './options-form/open-page.ts';
import type { Shown } from './options-form/page.tsx';
import { ownBrowser } from './portal.ts';

const CLICK_MS = 10_000;
/** FORM_SEQUENCES=500 runs the long form. FORM_SEED and FORM_PATH repeat a failed run. */
const { FORM_SEQUENCES = '4', FORM_SEED, FORM_PATH } = process.env;

/** Each of the two tabs has keys of its own; both change the others. */
const TEXT_FIELDS = { volume: 'Volume', motto: 'Motto', ratio: 'Ratio', birthday: 'Birthday' };
const OWN = [
  ['motto', 'size'],
  ['ratio', 'birthday'],
];
const TYPED: Record<string, readonly string[]> = {
  volume: ['0', '3', '9', '12', 'loud', ''],
  motto: ['Servus', 'Baba', 'a text that is longer than twenty', ''],
  ratio: ['0.5', '7', 'half', ''],
  birthday: ['1815-12-10', '1906-12-09', ''],
};

const tab = fc.constantFrom(0, 1);
const typing = (name: keyof typeof TEXT_FIELDS) =>
  fc.record({
    do: fc.constant('type' as const),
    tab: name === 'volume' ? tab : fc.constant(OWN.findIndex((own) => own.includes(name))),
    name: fc.constant(name),
    text: fc.constantFrom(...(TYPED[name] as string[])),
    press: fc.constantFrom('Enter', 'Enter', 'Tab', 'nothing'),
  });
const typed = fc.constantFrom('volume', 'motto', 'ratio', 'birthday').chain(typing);
const fault = (...of: ('save' | 'read')[]) =>
  fc.record({
    do: fc.constant('fault' as const),
    of: fc.constantFrom(...of),
    kind: fc.constantFrom(...FAULT_NAMES),
  });
const step = fc.oneof(
  { weight: 4, arbitrary: typed },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('click' as const),
      tab,
      what: fc.constantFrom('Newsletter', 'Light', 'Dark', 'email', 'sms', 'push'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('press' as const),
      tab,
      what: fc.constantFrom('Back to default', 'Clear', 'Clear', 'Try again'),
      /** Which of the matching buttons. */
      at: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('select' as const), size: fc.constantFrom(1, 2, 3, 4, 5) }) },
  { weight: 4, arbitrary: fault('save', 'read') },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('come back' as const), tab }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hide' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('token' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('elsewhere' as const), value: fc.integer({ min: 0, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('publish' as const), most: fc.constantFrom(8, 10) }) },
);
/** A save that meets a fault, and another save of the same field before the outcome of the first is known. */
const overtaken = fc
  .constantFrom('motto', 'ratio', 'birthday', 'volume')
  .chain((name) => fc.tuple(fault('save'), typing(name), typing(name)));
const steps = fc
  .array(fc.oneof({ weight: 4, arbitrary: step.map((each) => [each]) }, { weight: 1, arbitrary: overtaken }), {
    minLength: 3,
    maxLength: 16,
  })
  .map((parts) => parts.flat());
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Act = Exclude<Step, { do: 'fault' | 'release' | 'settle' | 'publish' | 'elsewhere' }>;

const catalogWith = (most: number): CatalogFile => {
  const catalog = structuredClone(CATALOG);
  for (const key of catalog.groups[0]?.keys ?? []) if (key.name === 'volume') key.constraint = { min: 0, max: most };
  return catalog;
};

let service: TestServer;
let proxy: FaultProxy;
let site: Awaited<ReturnType<typeof servePage>>;
let browser: Browser;
let shop: Awaited<ReturnType<typeof withCatalog>>;
beforeAll(async () => {
  [service, site, browser] = await Promise.all([
    startTestServer((await databases[0]?.fresh()) as string),
    servePage(),
    ownBrowser(),
  ]);
  proxy = await startFaultProxy(service.url);
  shop = await withCatalog(service, catalogWith(10), { allowedOrigins: [site.origin] });
  await service.service.refresh();
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await site?.close();
  await service?.close();
});

type Field = { shown: unknown; message: string; status: string };

/** Reads each field by its visible label. */
function look(page: Page): Promise<Record<string, Field>> {
  return page.evaluate(() => {
    const textOf = (from: Element | null | undefined) => from?.textContent?.trim() ?? '';
    const labelOf = (box: Element) => textOf(box.closest('label') ?? box.parentElement);
    const shownBy = (field: Element): unknown => {
      const one = field.querySelector('[role=switch], select, input[type=text], input[type=date], textarea');
      if (one instanceof HTMLSelectElement) return textOf(one.selectedOptions[0]);
      if (one instanceof HTMLInputElement && one.getAttribute('role') === 'switch') return one.checked;
      if (one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement) return one.value;
      if (one) return one.getAttribute('aria-checked') === 'true';
      return [...field.querySelectorAll('input:checked')].map(labelOf);
    };
    const fields = [...document.querySelectorAll('.innkeeper-field')].map((field) => [
      textOf(field.querySelector('bdi')),
      {
        shown: shownBy(field),
        message: textOf(field.querySelector('[role=alert]')),
        status: textOf(field.querySelector('[role=status]')),
      },
    ]);
    return Object.fromEntries(fields) as Record<string, { shown: unknown; message: string; status: string }>;
  });
}

/** How an English form displays the service's values. */
function asShown(value: (name: string) => unknown): Record<string, unknown> {
  const theme = { light: 'Light', dark: 'Dark' }[value('theme') as string] as string;
  const text = (name: string) => String(value(name) ?? '');
  return {
    Newsletter: value('newsletter'),
    Theme: [theme],
    Channels: [...(value('channels') as string[])].sort(),
    ...{ Volume: text('volume'), Ratio: text('ratio'), Birthday: text('birthday'), Motto: text('motto') },
  };
}

async function openTabs(userId: string, token: string) {
  const window = await browser.newContext({ locale: 'en-GB' });
  const tabs = await Promise.all(
    [0, 1].map(async () => {
      const page = await window.newPage();
      page.setDefaultTimeout(20_000);
      const connection = { baseUrl: proxy.url, apiKey: shop.application.clientId, group: 'all' };
      const shown: Shown = { userId, token, live: false, timeout: 60_000 };
      await page.addInitScript((given) => Object.assign(globalThis, given), { connection, shown });
      await page.goto(site.origin);
      await page.getByRole('textbox', { name: 'Motto' }).waitFor();
      const show = (change: Shown) => page.evaluate((next) => globalThis.show(next), change);
      return { page, show, isShown: true };
    }),
  );
  return { tabs, [Symbol.asyncDispose]: () => window.close() };
}

async function run(all: readonly Step[]): Promise<void> {
  const users = createUsersClient({ baseUrl: service.url, ...shop.application });
  const user = { clientUserId: uniqueName(), clientUserName: 'Ada' };
  const granted = await users.signIn(user);
  const options = users.optionsOf(granted.service_user_code);
  proxy.reset();
  await using open = await openTabs(user.clientUserId, granted.access_token);
  const { tabs } = open;

  const gates: ReturnType<typeof gate>[] = [];
  const chosen = new Map<string, Set<unknown>>();
  /** By key that only this tab changes: the last value chosen. */
  const last = new Map<string, unknown>();
  const choose = (name: string, value: unknown) => chosen.set(name, (chosen.get(name) ?? new Set()).add(value));
  const release = () => {
    for (const each of gates.splice(0)) each.open();
  };
  const isBusy = async (page: Page) => (await page.getByText('Saving…').count()) > 0;
  const settle = async () => {
    do {
      release();
      await proxy.settled();
    } while ((await Promise.all(tabs.map(({ page }) => isBusy(page)))).includes(true));
  };
  const faultOf = (kind: keyof typeof FAULTS) => {
    const held = gate();
    gates.push(held);
    return FAULTS[kind](held.opened);
  };
  const readAgain = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

  const act = async (each: Act) => {
    const at = tabs[each.do === 'select' ? 0 : each.tab] as (typeof tabs)[number];
    const { page, show } = at;
    if (each.do === 'come back') return readAgain(page);
    if (each.do === 'hide') {
      at.isShown = !at.isShown;
      return show({ isShown: at.isShown });
    }
    if (each.do === 'token') return show({ token: (await users.signIn(user)).access_token });
    if (each.do === 'select') {
      const size = page.getByRole('combobox', { name: 'Size' });
      if (!(await size.isVisible()) || !(await size.isEnabled())) return;
      choose('size', each.size);
      last.set('size', each.size);
      return void (await size.selectOption({ label: String(each.size) }));
    }
    if (each.do === 'type') {
      const { name, text } = each;
      const field = page.getByLabel(TEXT_FIELDS[name]);
      if (!(await field.isVisible()) || !(await field.isEnabled())) return;
      const value = text === '' ? null : name === 'volume' || name === 'ratio' ? Number(text) : text;
      if (!Number.isNaN(value)) choose(name, value);
      // Typing the existing value again is not a choice.
      const wasThere = (await field.inputValue()) === text;
      await field.fill(text);
      // Input that cannot be parsed is reported on blur, and is not a choice.
      if (Number.isNaN(value)) last.delete(name);
      else if (!wasThere) last.set(name, value);
      if (each.press !== 'nothing') await field.press(each.press);
      return;
    }
    if (each.do === 'press') {
      const buttons = page.getByRole('button', { name: each.what, exact: true });
      const labels = await buttons.evaluateAll((all) =>
        all.map((of) => of.closest('.innkeeper-field')?.querySelector('bdi')?.textContent ?? ''),
      );
      const label = labels[each.at % labels.length];
      if (label === undefined) return;
      const name = label.toLowerCase();
      if (OWN[1 - each.tab]?.includes(name)) return;
      const isReset = each.what !== 'Try again';
      if (isReset) choose(name, null);
      const place =
        label === '' ? page : page.locator('.innkeeper-field', { has: page.getByText(label, { exact: true }) });
      const target = place.getByRole('button', { name: each.what, exact: true }).first();
      // The button disappears with the change that it would undo, so a click may come too late.
      const isClicked = await target.click({ timeout: CLICK_MS }).then(
        () => true,
        async (error: unknown) => {
          if (await target.isVisible()) throw error;
          return false;
        },
      );
      if (isReset && isClicked) last.set(name, null);
      else last.delete(name);
      return;
    }
    const role = each.what === 'Newsletter' ? 'switch' : ['Light', 'Dark'].includes(each.what) ? 'radio' : 'checkbox';
    const target = page.getByRole(role, { name: each.what, exact: true });
    if (!(await target.isVisible()) || !(await target.isEnabled())) return;
    if (each.what === 'Newsletter') choose('newsletter', !(await target.isChecked()));
    else if (role === 'radio') choose('theme', each.what.toLowerCase());
    else if (!(await target.isChecked())) choose('channels', each.what);
    await target.click({ timeout: CLICK_MS });
  };

  for (const each of all) {
    if (each.do === 'fault') proxy.plan(each.of === 'save' ? isSave : isRead, faultOf(each.kind));
    else if (each.do === 'release') release();
    else if (each.do === 'settle') await settle();
    else if (each.do === 'publish') {
      await shop.publish(catalogWith(each.most));
      await service.service.refresh();
    } else if (each.do === 'elsewhere') {
      choose('volume', each.value);
      await options.save('all.volume', each.value).catch(() => {});
    } else await act(each);
  }

  // Let everything settle: fields lose focus, held requests arrive, and every tab is visible again.
  proxy.clearPlans();
  for (const { page, show } of tabs) {
    await show({ isShown: true });
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  }
  await settle();
  await shop.publish(catalogWith(10));
  await service.service.refresh();

  /** Where a screen differs from the service, or the service from the last choice, without a message that says so. */
  const differences = async () => {
    const effective = await options.selections({ effective: true }).all();
    const now = new Map(effective.map(({ option }) => [option.name as string, option.value as unknown]));
    const found: unknown[] = [];
    for (const [at, { page }] of tabs.entries()) {
      const seen = await look(page);
      for (const [label, value] of Object.entries(asShown((name) => now.get(name)))) {
        const { shown, message } = seen[label] ?? { message: '' };
        const sorted = Array.isArray(shown) ? [...shown].sort() : shown;
        if (message === '' && JSON.stringify(sorted) !== JSON.stringify(value)) found.push({ at, label, shown, value });
      }
      for (const name of OWN[at] ?? []) {
        const label = name === 'size' ? 'Size' : TEXT_FIELDS[name as keyof typeof TEXT_FIELDS];
        const value = now.get(name) ?? null;
        if (!last.has(name) || seen[label]?.message) continue;
        if (value !== last.get(name)) found.push({ at, label, wanted: last.get(name), value });
      }
    }
    return found;
  };
  const comeBack = async () => {
    for (const { page } of tabs) {
      const tryAgain = page.locator('.innkeeper-form > [role=alert] button, main > [role=alert] button').first();
      if (await tryAgain.isVisible()) await tryAgain.click();
      await readAgain(page);
    }
    await settle();
  };
  // Returning to a page also undoes saves that arrived after their change was reverted.
  await expect.poll(() => comeBack().then(differences), { interval: 200 }).toEqual([]);

  const effective = await options.selections({ effective: true }).all();
  for (const { option, user_options_uid, source } of effective) {
    if (!user_options_uid || source === 'default') continue;
    for (const { to_value: value } of await options.history(user_options_uid).all()) {
      if (option.name !== 'channels') expect([...(chosen.get(option.name) ?? [])]).toContain(value);
      else for (const box of [value ?? []].flat()) expect(['email', ...(chosen.get('channels') ?? [])]).toContain(box);
    }
  }
}

test('two tabs with lost, late and concurrent saves: a screen shows what is saved, or says that it is not', async () => {
  await fc.assert(fc.asyncProperty(steps, run), {
    numRuns: Number(FORM_SEQUENCES),
    endOnFailure: true,
    ...(FORM_SEED && { seed: Number(FORM_SEED) }),
    ...(FORM_PATH && { path: FORM_PATH }),
    timeout: 180_000,
  });
}, 3_600_000);
