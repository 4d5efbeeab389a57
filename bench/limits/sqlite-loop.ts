import { type ActName, createActs, runBatch } from '../../packages/server/src/storage/sqlite/batch.ts';
import { connectToWrite } from '../../packages/server/src/storage/sqlite/connection.ts';
import { hashOf, newAccessToken, newSelection, newUser, type Place } from './storage-acts.ts';

/**
 * The limit of the storage, in its own process: the service's own storage call on its own connection (WAL,
 * synchronous=FULL), in a tight loop, with a given number of calls per transaction and flush. Prints JSON.
 */
export type Loop = {
  /** A copy of the service's database. */
  path: string;
  operation: string;
  perTransaction: number;
  count: number;
  /** The number of the first user it creates: no number is used twice. */
  from: number;
};
export type LoopResult = { seconds: number };

type Act = [ActName, unknown[]];

const loop = JSON.parse(process.argv[2] as string) as Loop;
const connection = connectToWrite(loop.path);
const acts = createActs(connection);
const place = connection
  .statement<Place>('select app_id as appId, key_no as keyNo, revision from selections limit 1')
  .get() as Place;
const users = Array.from({ length: loop.count }, (_, index) => newUser(place, loop.from + index));
const creates = users.map((user): Act => ['createUserWithToken', [user]]);
if (loop.operation !== 'create-user') await run(creates, 1_000);
const timed: Act[] =
  loop.operation === 'create-user'
    ? creates
    : users.map(({ userId }, index) =>
        loop.operation === 'save'
          ? ['saveSelections', [place.appId, userId, [newSelection(place)], { at: Date.now(), authMethod: 'user_uid' }]]
          : ['exchangeSpecialToken', [hashOf(loop.from + index), Date.now(), newAccessToken()]],
      );
const startedAt = performance.now();
await run(timed, loop.perTransaction);
const result: LoopResult = { seconds: (performance.now() - startedAt) / 1000 };
connection.close();
console.log(JSON.stringify(result));

async function run(all: Act[], perTransaction: number): Promise<void> {
  for (let at = 0; at < all.length; at += perTransaction) {
    for (const done of await runBatch(connection, acts, all.slice(at, at + perTransaction))) {
      const outcome = ('outcome' in done ? done.outcome : {}) as string | { outcome?: string; userId?: string };
      const isDone =
        typeof outcome === 'string' ? outcome === 'created' : outcome.outcome === 'saved' || outcome.userId;
      if (!isDone) throw new Error(JSON.stringify(done));
    }
  }
}
