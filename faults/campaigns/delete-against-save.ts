import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '../../packages/server/test/http/start.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { isCode } from '../check-user.ts';
import { describe, isDone } from '../client.ts';
import { naiveField, type RaceField, realFields } from '../race-field.ts';

const SAVES = 12;

export const deleteAgainstSave: Campaign = {
  name: 'delete-against-save',
  title: `a user deleted while ${SAVES} of their selections are saved, at two replicas, on both databases`,
  promise: 'after 204 no table has a row of the user; every save is acknowledged or gets 1006',
  operatorSees: 'late saves: 404 (1006)',
  unit: 'races',
  times: { short: 100, full: 2_000 },
  run: async (context) => run(context, await realFields(context)),
  control: {
    what: 'a save that looks the user up first',
    times: 10,
    run: async (context) => run(context, await naiveField(context)),
  },
};

async function run(context: CampaignContext, fields: RaceField[]): Promise<void> {
  let refused = 0;
  for (let round = 0; round < context.times; round++) {
    const { kind, client, place, race, rowsOf } = fields[round % fields.length] as RaceField;
    const { application, group, keys } = place;
    await context.attempt(async (lose) => {
      const user = await client.create();
      await client.exchange(user);
      const headers = { apiKey: application.clientId };
      const saving = race(
        Array.from({ length: SAVES }, (_, index) => {
          const key = index * 2; // these are switches
          const body = { user_uid: user.code, option_group_uid: group, option_key_uid: keys[key % 20], value: [true] };
          return { method: 'POST', path: '/api/user_options', body, headers };
        }),
      );
      await sleep(Math.random() * 8);
      const path = `/api/v2/app/${application.clientId}/users/${user.code}`;
      const [removed] = await race([{ method: 'DELETE', path, headers: basic(application) }]);
      if (removed?.kind !== 'answered' || removed.status !== 204) lose(`${kind}: the delete was answered otherwise`);
      for (const outcome of await saving) {
        if (isCode(outcome, '1006')) refused++;
        else if (!isDone(outcome)) lose(`${kind}: ${describe(outcome)}`);
      }
      const rows = await rowsOf(user.code ?? '');
      if (rows !== 0) lose(`${kind}: ${rows} rows are left`);
    });
  }
  context.report(`${refused} of ${context.times * SAVES} saves came after the delete`);
}
