import type { Connections, SharedStatement } from '../../packages/server/src/storage/postgres/connections.ts';
import { selectionStore } from '../../packages/server/src/storage/postgres/selections.ts';
import { tokenStore } from '../../packages/server/src/storage/postgres/tokens.ts';
import { userStore } from '../../packages/server/src/storage/postgres/users.ts';
import { newAccessToken, newSelection, newUser, type Place } from './storage-acts.ts';

/** Placeholders for what differs between calls in the statements that are sent. */
const USER_ID = '11111111-1111-4111-8111-111111111111';
const CLIENT_USER_ID = 'the name of a user';
const OTHER_ID = '22222222-2222-4222-8222-222222222222';
const HASH = 'ab'.repeat(32);

/** A bigint in hex: pgbench fills in the number itself. */
const hexOf = (number: string, digits: number): string => `lpad(to_hex(${number}::bigint), ${digits}, '0')`;
export const uuidOf = (number: string): string => `${hexOf(number, 32)}::uuid`;
export const nameOf = (number: string): string => `('stored-' || ${number}::bigint)`;
export const hashOfNumber = (number: string): string => `decode(${hexOf(number, 64)}, 'hex')`;

/**
 * The statement that the service sends for a single operation, in a form that pgbench can run: `:n` is the user's
 * number. The text comes from the storage itself; which storage call an operation makes is repeated here, as in
 * domain/users and domain/selections.
 */
export function statementOf(operation: string, place: Place): Promise<string> {
  const user = { ...newUser(place, 0, USER_ID), clientUserId: CLIENT_USER_ID };
  const token = { ...newAccessToken(), tokenId: OTHER_ID };
  const selection = { ...newSelection(place), selectionId: OTHER_ID };
  const now = Date.now();
  switch (operation) {
    case 'create-user':
      user.specialToken.tokenHash = HASH;
      return sent((connections) => userStore(connections).createWithToken(user));
    case 'get-access-token':
      return sent((connections) => tokenStore(connections).exchange(HASH, now, token));
    default:
      return sent((connections) =>
        selectionStore(connections).save(place.appId, USER_ID, [selection], { at: now, authMethod: 'user_uid' }),
      );
  }
}

/** The first statement of a storage call, with its parameters filled in. The call itself gets no result and fails. */
async function sent(act: (connections: Connections) => Promise<unknown>): Promise<string> {
  let first: string | undefined;
  const note = async (statement: { text: string }, values: unknown[]): Promise<never[]> => {
    first ??= statement.text.replace(/\$(\d+)/g, (_, index) => toSql(values[Number(index) - 1]));
    return [];
  };
  const noteShared = (statement: SharedStatement, shared: object) =>
    note(statement.together, [JSON.stringify([shared]), '100']);
  await act({ read: note, write: note, writeWithOthers: noteShared } as unknown as Connections).catch(() => {});
  if (first === undefined) throw new Error('a storage call sent no statement');
  return first.replaceAll(/\s+/g, ' ').trim();
}

/** Placeholders, and their SQL expressions, as text. */
const STANDS_FOR = new Map([
  [USER_ID, `(${uuidOf(':n')})::text`],
  [OTHER_ID, `(${uuidOf(':n')})::text`],
  [OTHER_ID.replaceAll('-', ''), hexOf(':n', 32)],
  [CLIENT_USER_ID, nameOf(':n')],
  [HASH, hexOf(':n', 64)],
]);
const PLACEHOLDERS = new RegExp(`(${[...STANDS_FOR.keys()].join('|')})`);

function toSql(value: unknown): string {
  if (typeof value === 'number') return String(value);
  // pgbench takes a colon before a letter or digit for a variable, even inside a string.
  const parts = String(value).replaceAll('":', '": ').split(PLACEHOLDERS);
  return `(${parts.map((part) => STANDS_FOR.get(part) ?? `'${part.replaceAll("'", "''")}'`).join(' || ')})`;
}
