import type { Campaign, CampaignContext } from '../campaign.ts';
import { countOutcomes } from '../count-outcomes.ts';
import { naiveField, type RaceField, realFields } from '../race-field.ts';

const AT_ONCE = 64;

export const doubleSpend: Campaign = {
  name: 'double-spend',
  title: `one special token exchanged ${AT_ONCE} times at once at two replicas, on both databases`,
  promise: 'exactly one exchange gets an access token, all others 0008',
  operatorSees: 'the others: 400 (0008)',
  unit: 'races',
  times: { short: 100, full: 2_000 },
  run: async (context) => run(context, await realFields(context)),
  control: {
    what: 'an exchange that looks up the token, then spends it',
    times: 5,
    run: async (context) => run(context, await naiveField(context)),
  },
};

async function run(context: CampaignContext, fields: RaceField[]): Promise<void> {
  for (let round = 0; round < context.times; round++) {
    const { kind, client, place, race } = fields[round % fields.length] as RaceField;
    await context.attempt(async (lose) => {
      const { specialToken } = await client.create();
      const { clientSecret } = place.application;
      const request = { method: 'POST', path: '/oauth/v2/get-access-token', body: { clientSecret, specialToken } };
      const answers = await race(Array(AT_ONCE).fill(request));
      const outcomes = countOutcomes(answers);
      if (outcomes !== `${AT_ONCE - 1} × 0008, 1 × done`) lose(`${kind}: ${outcomes}`);
    });
  }
}
