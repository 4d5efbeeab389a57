import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Campaign } from './campaign.ts';
import { killNine } from './campaigns/kill-nine.ts';
import { hasHeld, runCampaign } from './run-campaign.ts';
import { tableLines } from './table.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innkeeper-faults-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const campaign = (loses: boolean, controlLoses: boolean): Campaign => {
  const run = (isLost: boolean): Campaign['run'] => {
    return async (context) => {
      for (let round = 0; round < context.times; round++) {
        await context.attempt(async (lose) => {
          if (isLost) lose('a hat');
        });
      }
    };
  };
  return {
    ...{ name: 'hats', title: 'Hats in the wind', promise: 'no hat is lost', operatorSees: 'nothing', unit: 'gusts' },
    times: { short: 2, full: 30 },
    run: run(loses),
    control: { what: 'a hat without a band', times: 1, run: run(controlLoses) },
  };
};
const tryOut = (what: Campaign) => runCampaign(what, { isFull: false, folder });

test('a campaign passes if it finds no loss but its control does', async () => {
  const held = await tryOut(campaign(false, true));
  expect(hasHeld(held)).toBe(true);
  expect(tableLines(campaign(false, true), held)).toEqual([
    expect.stringMatching(/^hats +2 of 30 gusts +2 +0 +1 of 1/),
  ]);
  const lost = await tryOut(campaign(true, true));
  expect(hasHeld(lost)).toBe(false);
  expect(tableLines(campaign(true, true), lost).join('\n')).toContain('2. try: a hat');
  const blind = await tryOut(campaign(false, false));
  expect(hasHeld(blind)).toBe(false);
  const broken = campaign(false, true);
  broken.control.run = (context) => context.attempt(() => Promise.reject(new Error('no wind')));
  expect(hasHeld(await tryOut(broken))).toBe(false);
});

test('kill -9 during writes loses no acknowledged write', { timeout: 180_000 }, async () => {
  const result = await runCampaign(killNine, { isFull: false, times: 3, folder });
  expect(tableLines(killNine, result)).toHaveLength(1);
  expect(hasHeld(result)).toBe(true);
});
