import { type ActivityPoint, type ActivityStep, STEP_MS, type Storage } from '../../storage/port.ts';

/** Maximum steps per response: a week of hours, or a year of days. */
export const MAX_STEPS = 400;

export type Activity = {
  requests: number;
  errors: number;
  usersCreated: number;
  usersErased: number;
  tokensIssued: number;
  tokensFailed: number;
  selectionsSaved: number;
  selectionsUnset: number;
};

export type ActivitySeries = {
  points: (Activity & { at: number })[];
  total: Activity;
  /** By code, the most frequent first. */
  errors: { code: string; count: number }[];
  /** Total time the token service took. */
  tokenMicroseconds: number;
};

/** Every step from `from` up to, but not including, `to`, including empty ones. */
export async function readActivity(
  storage: Storage,
  appId: number,
  span: { step: ActivityStep; from: number; to: number },
): Promise<ActivitySeries> {
  const { step, from, to } = span;
  const counts = await storage.activity.list(appId, span);
  const byTime = Map.groupBy(counts, ({ at }) => at);
  const points: ActivitySeries['points'] = [];
  for (let at = from; at < to; at += STEP_MS[step]) points.push({ at, ...toActivity(byTime.get(at) ?? []) });
  const byCode = Map.groupBy(counts.filter(isError), ({ name }) => name.slice('error:'.length));
  return {
    points,
    total: toActivity(counts),
    errors: [...byCode]
      .map(([code, each]) => ({ code, count: sum(each) }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
    tokenMicroseconds: sum(counts.filter(({ name }) => name === 'tokenMicroseconds')),
  };
}

function toActivity(counts: readonly ActivityPoint[]): Activity {
  const of = (wanted: string): number => sum(counts.filter(({ name }) => name === wanted));
  return {
    requests: of('requests'),
    errors: sum(counts.filter(isError)),
    usersCreated: of('usersCreated'),
    usersErased: of('usersErased'),
    tokensIssued: of('tokensIssued'),
    tokensFailed: of('tokensFailed'),
    selectionsSaved: of('selectionsSaved'),
    selectionsUnset: of('selectionsUnset'),
  };
}

function isError({ name }: ActivityPoint): boolean {
  return name.startsWith('error:');
}

function sum(counts: readonly ActivityPoint[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
