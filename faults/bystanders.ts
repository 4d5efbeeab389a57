import { setTimeout as sleep } from 'node:timers/promises';
import { keepAliveAgent, send } from '../packages/server/test/operations/load.ts';
import type { CampaignContext } from './campaign.ts';
import { describe, isDone, type Place } from './client.ts';
import { noiseOf, p99 } from './percentile.ts';

const COUNT = 4;
const PAUSE_MS = 4;

/** Clients of the options API that are not involved in a fault, and their response times during it and otherwise. */
export type Bystanders = {
  /** From here on, responses count for this period. */
  during(time: 'quiet' | 'fault'): void;
  stop(): Promise<void>;
  /** Reports a loss if anything was not served, or if p99 was more than `most` times that without the fault. */
  judge(most: number): void;
};

export function startBystanders(context: CampaignContext, place: Place): Bystanders {
  const times: Record<'quiet' | 'fault', number[]> = { quiet: [], fault: [] };
  const failures: string[] = [];
  let time: 'quiet' | 'fault' = 'quiet';
  let over = false;
  const agents = Array.from({ length: COUNT }, keepAliveAgent);
  const reading = agents.map(async (agent) => {
    const headers = { apiKey: place.application.clientId };
    while (!over) {
      const [before, belongsTo] = [performance.now(), time];
      const outcome = await send('GET', `${place.url}/api/option_keys?limit=5`, undefined, { agent, headers });
      if (belongsTo === time) times[time].push(performance.now() - before);
      if (!isDone(outcome) && !over) failures.push(`a read of the catalog: ${describe(outcome)}`);
      await sleep(PAUSE_MS);
    }
    agent.destroy();
  });
  const stop = async (): Promise<void> => {
    over = true;
    await Promise.all(reading);
  };
  context.defer(stop);
  return {
    during: (next) => (time = next),
    stop,
    judge(most) {
      const [quiet, fault, noise] = [p99(times.quiet), p99(times.fault), noiseOf(times.quiet)];
      const ratio = fault / quiet;
      const figure = `p99 of others ${fault.toFixed(1)} ms, ${ratio.toFixed(2)} × the p99 without the fault (two halves of the quiet time differ by ${noise.toFixed(2)} ×)`;
      context.report(figure);
      if (!(ratio <= most * noise)) context.lose(figure);
      for (const failure of failures) context.lose(failure);
    },
  };
}
