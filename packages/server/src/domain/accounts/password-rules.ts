import { InnkeeperError } from '../errors.ts';
import { isCommonPassword } from './common-passwords.ts';

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
  if (isAddress(key, email.toLowerCase())) return 'must not be the e-mail address';
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
