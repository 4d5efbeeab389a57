import { setTimeout as sleep } from 'node:timers/promises';
import { basic } from '../../packages/server/test/http/start.ts';
import type { Campaign, Ground } from '../campaign.ts';
import { isCode } from '../check-guest.ts';
import { describe, isDone } from '../guest.ts';
import { naiveField, type RaceField, realFields } from '../race-field.ts';

const SAVES = 12;

export const deleteAgainstSave: Campaign = {
  name: 'delete-against-save',
  title: `a user deleted while ${SAVES} of their selections are saved, at two replicas, on SQLite and PostgreSQL`,
  promise: 'after 204 no table has a row of the user; every save is acknowledged or gets 1006 (user not found)',
  operatorSees: 'nothing: late saves are 404 with 1006 in the log and in `innkeeper_requests_total`',
  unit: 'races',
  times: { short: 100, full: 2_000 },
  run: async (ground) => run(ground, await realFields(ground)),
  control: {
    what: 'a save that looks the user up first',
    times: 10,
    run: async (ground) => run(ground, await naiveField(ground)),
  },
};

async function run(ground: Ground, fields: RaceField[]): Promise<void> {
  let refused = 0;
  for (let round = 0; round < ground.times; round++) {
    const { kind, client, place, race, rowsOf } = fields[round % fields.length] as RaceField;
    const { application, group, keys } = place;
    await ground.attempt(async (lose) => {
      const guest = await client.create();
      await client.exchange(guest);
      const headers = { apiKey: application.clientId };
      const saving = race(
        Array.from({ length: SAVES }, (_, index) => {
          const key = index * 2; // these are switches
          const body = { user_uid: guest.code, option_group_uid: group, option_key_uid: keys[key % 20], value: [true] };
          return { method: 'POST', path: '/api/user_options', body, headers };
        }),
      );
      await sleep(Math.random() * 8);
      const path = `/api/v2/app/${application.clientId}/users/${guest.code}`;
      const [removed] = await race([{ method: 'DELETE', path, headers: basic(application) }]);
      if (removed?.kind !== 'answered' || removed.status !== 204) lose(`${kind}: the delete was answered otherwise`);
      for (const outcome of await saving) {
        if (isCode(outcome, '1006')) refused++;
        else if (!isDone(outcome)) lose(`${kind}: ${describe(outcome)}`);
      }
      const rows = await rowsOf(guest.code ?? '');
      if (rows !== 0) lose(`${kind}: ${rows} rows are left`);
    });
  }
  ground.tell(`${refused} of ${ground.times * SAVES} saves came after the delete`);
}
