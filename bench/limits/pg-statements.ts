import type { Connections } from '../../packages/server/src/storage/postgres/connections.ts';
import { selectionStore } from '../../packages/server/src/storage/postgres/selections.ts';
import { tokenStore } from '../../packages/server/src/storage/postgres/tokens.ts';
import { userStore } from '../../packages/server/src/storage/postgres/users.ts';
import { newAccessToken, newSelection, newUser, type Place } from './storage-acts.ts';

/** Stand for what differs from one call to the next, in what the acts send. */
const USER_ID = '11111111-1111-4111-8111-111111111111';
const CLIENT_USER_ID = 'the name of a user';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const HASH = 'ab'.repeat(32);

/** Of a bigint: pgbench puts it into each place by itself. */
export const uuidOf = (number: string): string => `lpad(to_hex(${number}::bigint), 32, '0')::uuid`;
export const nameOf = (number: string): string => `('stored-' || ${number}::bigint)`;
export const hashOfNumber = (number: string): string => `decode(lpad(to_hex(${number}::bigint), 64, '0'), 'hex')`;
const bytesOf = (number: string): string => `decode(lpad(to_hex(${number}::bigint), 32, '0'), 'hex')`;

/**
 * The statements that the service sends for an operation, as pgbench can run them: `:n` is the user's number. Their text is
 * the storage's own; which acts an operation is made of is repeated here, as in domain/users and domain/selections.
 */
export async function statementsOf(operation: string, place: Place): Promise<string[]> {
  const user = { ...newUser(place, 0, USER_ID), clientUserId: CLIENT_USER_ID };
  const token = { ...newAccessToken(), tokenId: OTHER_ID };
  const selection = { ...newSelection(place), selectionId: OTHER_ID };
  const now = Date.now();
  switch (operation) {
    case 'create-user':
      user.specialToken.tokenHash = HASH;
      return [await sent((connections) => userStore(connections).createWithToken(user))];
    case 'get-access-token':
      return [
        await sent((connections) => tokenStore(connections).findSpecialToken(HASH, now)),
        await sent((connections) => tokenStore(connections).exchange(HASH, now, token)),
      ];
    default:
      return [
        await sent((connections) =>
          selectionStore(connections).save(place.appId, USER_ID, [selection], { at: now, means: 'user_uid' }),
        ),
      ];
  }
}

/** The first statement of an act, its parameters put in. The act itself is told nothing and goes wrong. */
async function sent(act: (connections: Connections) => Promise<unknown>): Promise<string> {
  let first: string | undefined;
  const note = async (statement: { text: string }, values: unknown[]): Promise<never[]> => {
    first ??= statement.text.replace(/\$(\d+)/g, (_, index) => toSql(values[Number(index) - 1]));
    return [];
  };
  await act({ read: note, write: note } as unknown as Connections).catch(() => {});
  if (first === undefined) throw new Error('an act sent no statement');
  return first.replaceAll(/\s+/g, ' ').trim();
}

function toSql(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.length === 32 ? hashOfNumber(':n') : bytesOf(':n');
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  const text = String(value);
  if (text === USER_ID) return `(${uuidOf(':n')})`;
  if (text === CLIENT_USER_ID) return nameOf(':n');
  // pgbench takes a colon before a letter or digit for a variable of its own, in a text too.
  const parts = text
    .replaceAll('":', '": ')
    .split(OTHER_ID)
    .map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? String(parts[0]) : `(${parts.join(` || (${uuidOf(':n')})::text || `)})`;
}
