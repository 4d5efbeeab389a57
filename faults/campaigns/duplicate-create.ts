import { uniqueName } from '../../packages/server/test/http/start.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { countOutcomes } from '../count-outcomes.ts';
import { naiveField, type RaceField, realFields } from '../race-field.ts';

const AT_ONCE = 50;

export const duplicateCreate: Campaign = {
  name: 'duplicate-create',
  title: `one user created ${AT_ONCE} times at once at two replicas, on both databases`,
  promise: 'exactly one request creates the user, all others get 0001',
  operatorSees: 'the others: 400 (0001)',
  unit: 'races',
  times: { short: 100, full: 1_000 },
  run: async (context) => run(context, await realFields(context)),
  control: {
    what: 'a create that looks up the id, then inserts',
    times: 5,
    run: async (context) => run(context, await naiveField(context)),
  },
};

async function run(context: CampaignContext, fields: RaceField[]): Promise<void> {
  for (let round = 0; round < context.times; round++) {
    const { kind, place, race } = fields[round % fields.length] as RaceField;
    await context.attempt(async (lose) => {
      const { clientId, clientSecret } = place.application;
      const body = { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' };
      const answers = await race(Array(AT_ONCE).fill({ method: 'POST', path: '/api/v2/app/create-user', body }));
      const outcomes = countOutcomes(answers);
      if (outcomes !== `${AT_ONCE - 1} × 0001, 1 × done`) lose(`${kind}: ${outcomes}`);
    });
  }
}
