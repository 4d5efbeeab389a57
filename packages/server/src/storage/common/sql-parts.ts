import type { Query } from './store.ts';

/** Joins those whose value is given. Each `?` becomes the number of its parameter; without one, the value only says that it is given. */
export function conditions(given: readonly (readonly [condition: string, value: unknown])[]): {
  where: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const used = given.flatMap(([condition, value]) => {
    if (value === undefined || value === null || value === false) return [];
    if (condition.includes('?')) values.push(value);
    return [condition.replaceAll('?', `$${values.length}`)];
  });
  return { where: used.join(' and '), values };
}

/** Whether it is there: those who lock it come one after the other. "No key": users may be created meanwhile. */
export async function lockApplication(query: Query, appId: number): Promise<boolean> {
  const rows = await query('select app_id from applications where app_id = $1 for no key update', [appId]);
  return rows.length > 0;
}

/** Whether it is there, and stays until the act is done. */
export async function keepApplication(query: Query, appId: number): Promise<boolean> {
  return (await query('select app_id from applications where app_id = $1 for key share', [appId])).length > 0;
}

/** Whether it is there, and stays until the act is done. */
export async function keepAccount(query: Query, accountId: string): Promise<boolean> {
  return (await query('select role from accounts where account_id = $1::uuid for key share', [accountId])).length > 0;
}

/**
 * Hashes are kept as bytes: half of their text, in every index that holds them. Anything else is refused, as Buffer
 * would stop at what it cannot read and call the rest a hash.
 */
export function toBytes(hex: string): Buffer {
  return Buffer.from(checkedHex(hex), 'hex');
}

/** As it is, for acts that go to PostgreSQL as JSON. */
export function checkedHex(hex: string): string {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw new TypeError('A hash is bytes in lower-case hex.');
  return hex;
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
