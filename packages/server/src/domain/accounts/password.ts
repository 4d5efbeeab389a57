import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { InnkeeperError } from '../errors.ts';

/** argon2id as recommended by OWASP; a hash made at another cost is verified at that cost. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const NONCE_BYTES = 16;
const TAG_BYTES = 32;
/** Each takes 20 MB and a thread for about 50 ms: more at once would take both from everyone else. */
const AT_ONCE = 2;
const MAX_WAITING = 40;
/**
 * In UTF-16 units, of which the rules allow half. Normalizing takes quadratic time in the number of marks after a
 * letter.
 */
const MAX_LENGTH = 1_024;

type Cost = typeof COST;

/** In the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await derive(password, nonce, COST);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${bare(nonce)}$${bare(tag)}`;
}

/** Without a hash, does the same work anyway, so that the time does not tell whether there is one. */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  if (password.length > MAX_LENGTH) return false;
  const [, m, t, p, nonce, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash ?? '') ?? [];
  if (nonce === undefined || tag === undefined) {
    await derive(password, Buffer.alloc(NONCE_BYTES), COST);
    return false;
  }
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  const expected = Buffer.from(tag, 'base64');
  const found = await derive(password, Buffer.from(nonce, 'base64'), cost);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

let atWork = 0;
const waiting: (() => void)[] = [];

/** On its own thread, never on the HTTP thread. */
async function derive(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  if (atWork >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw new InnkeeperError('unavailable');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else atWork++;
  try {
    // The same text has several Unicode forms, and keyboards differ.
    const message = password.normalize('NFKC');
    const parameters = { message, nonce, memory, passes, parallelism, tagLength: TAG_BYTES };
    return await new Promise((resolve, reject) => {
      argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else atWork--;
  }
}

function bare(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
