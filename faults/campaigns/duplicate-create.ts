import { uniqueName } from '../../packages/server/test/http/start.ts';
import type { Campaign, Ground } from '../campaign.ts';
import { countOutcomes } from '../count-outcomes.ts';
import { naiveField, type RaceField, realFields } from '../race-field.ts';

const AT_ONCE = 50;

export const duplicateCreate: Campaign = {
  name: 'duplicate-create',
  title: `one user created ${AT_ONCE} times at once at two replicas, on SQLite and PostgreSQL`,
  promise: 'exactly one request creates the user, all others get 0001',
  operatorSees: 'nothing: the others are 400 with 0001 in the log and in `innkeeper_requests_total`',
  unit: 'races',
  times: { short: 100, full: 1_000 },
  run: async (ground) => run(ground, await realFields(ground)),
  control: {
    what: 'a create that looks the id up, then inserts',
    times: 5,
    run: async (ground) => run(ground, await naiveField(ground)),
  },
};

async function run(ground: Ground, fields: RaceField[]): Promise<void> {
  for (let round = 0; round < ground.times; round++) {
    const { kind, place, race } = fields[round % fields.length] as RaceField;
    await ground.attempt(async (lose) => {
      const { clientId, clientSecret } = place.application;
      const body = { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' };
      const answers = await race(Array(AT_ONCE).fill({ method: 'POST', path: '/api/v2/app/create-user', body }));
      const told = countOutcomes(answers);
      if (told !== `${AT_ONCE - 1} × 0001, 1 × done`) lose(`${kind}: ${told}`);
    });
  }
}
