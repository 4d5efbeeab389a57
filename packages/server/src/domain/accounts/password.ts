import { argon2, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { InnkeeperError } from '../errors.ts';
import { COMMON_PASSWORD_HASHES } from './common-password-hashes.ts';

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

const MIN = 12;
const MAX = 256;

export function requirePassword(password: unknown, email: string): string {
  const problem = passwordProblem(password, email);
  if (problem === undefined) return password as string;
  const fields = [{ field: 'password', message: problem }];
  throw new InnkeeperError('badParameter', { message: `password ${problem}.`, fields });
}

/** Why a text cannot be this account's password, worded to follow the field's name. */
function passwordProblem(password: unknown, email: string): string | undefined {
  if (typeof password !== 'string' || password === '') return 'is missing';
  if (password.includes('\u0000') || !password.isWellFormed()) return 'contains invalid characters';
  const length = [...password].length;
  if (length < MIN) return `must be at least ${MIN} characters long; several words are easy to remember`;
  if (length > MAX) return `must be at most ${MAX} characters long`;
  const key = password.normalize('NFKC').toLowerCase();
  if (isAddress(key, email.toLowerCase())) return 'is too similar to the e-mail address';
  if (isSimple(key) || isCommonPassword(key)) return 'is too common and easy to guess';
  return undefined;
}

function isAddress(key: string, email: string): boolean {
  const name = email.split('@', 1)[0] as string;
  return key.includes(email) || withoutEnds(key) === withoutEnds(name);
}

/** A few repeated characters, a sequence, or a common word repeated or with digits around it. */
function isSimple(key: string): boolean {
  if (new Set(key).size < 5) return true;
  const codes = [...key].map((character) => character.codePointAt(0) as number);
  const steps = codes.slice(1).filter((code, index) => Math.abs(code - (codes[index] as number)) <= 1);
  if (steps.length >= codes.length * 0.75) return true;
  const unit = /^(.+?)\1+$/s.exec(key)?.[1];
  if (unit !== undefined && (unit.length <= 6 || isCommonPassword(withoutEnds(unit)))) return true;
  return isCommonPassword(withoutEnds(key));
}

/** `!!password2026` becomes `password`. */
function withoutEnds(text: string): string {
  return text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
}

let known: Buffer | undefined;

/** Expects lower case. About one in 200,000 uncommon passwords is a false positive. */
function isCommonPassword(key: string): boolean {
  known ??= Buffer.from(COMMON_PASSWORD_HASHES, 'base64');
  const wanted = hashCommonPassword(key);
  let low = 0;
  let high = known.length / 4;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (known.readUInt32BE(middle * 4) < wanted) low = middle + 1;
    else high = middle;
  }
  return low * 4 < known.length && known.readUInt32BE(low * 4) === wanted;
}

export function hashCommonPassword(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0);
}
