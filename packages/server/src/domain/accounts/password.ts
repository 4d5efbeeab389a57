import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { InnkeeperError } from '../errors.ts';

/** argon2id as OWASP advises; what was hashed at another cost is still verified at that one. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const NONCE_BYTES = 16;
const TAG_BYTES = 32;
/** Each takes 20 MB and a thread for some 50 ms: more at once would take both from everybody else. */
const AT_ONCE = 2;
const MAX_WAITING = 40;
/** In UTF-16 units, of which the rules allow half. Normalising takes time quadratic in the marks that follow one letter. */
const MAX_LENGTH = 1_024;

type Cost = typeof COST;

/** As the PHC string format has it. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await derive(password, nonce, COST);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${bare(nonce)}$${bare(tag)}`;
}

/** With no hash it is the same work, for nothing: how long it takes does not tell whether there is one. */
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

/** On a thread of its own, never on the one that answers. */
async function derive(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  if (atWork >= AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw new InnkeeperError('unavailable');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else atWork++;
  try {
    // The same text can be written in several ways of Unicode, and keyboards differ.
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
