import type { InnkeeperError, OptionKey, Value } from '@innkeeper/client';
import { writeDate, writeNumber } from './numbers.ts';
import type { Texts } from './texts.ts';

/** Errors for a key that no longer exists. */
const GONE = ['1004', '1005', '1012'];

export function isGone(error: InnkeeperError | undefined): boolean {
  return error !== undefined && GONE.includes(error.code);
}

/** Why something was not saved, in the language of the form: from the error's code and what it lists as allowed. */
export function sayRefusal(
  error: InnkeeperError,
  { key, value, texts, locale }: { key: OptionKey; value: Value | undefined; texts: Texts; locale: string },
): string {
  const { status, code, errors } = error;
  if (isGone(error)) return texts.archived;
  if (status === 401) return texts.signIn;
  if (error.isRetryable) return texts.notSaved;
  if (code !== '1008') return texts.refused(code);
  const [problem] = errors;
  const at = Number(/\[(\d+)\]$/.exec(problem?.field ?? '')?.[1] ?? Number.NaN);
  // Without an index, it is about the number of values.
  if (key.multiple && Number.isNaN(at)) return texts.howMany(key.min_selected, key.max_selected);
  const { allowed } = problem ?? {};
  if (!allowed || typeof allowed !== 'object' || Array.isArray(allowed)) return texts.notAllowed;
  return sayRule(allowed, [value].flat()[at], texts, locale);
}

type Rules = {
  type?: string;
  min?: number | string;
  max?: number | string;
  step?: number;
  pattern?: string;
  max_length?: number;
};

/** The first rule that the value breaks; if none, one that only the service can check. */
function sayRule(
  { type, min, max, step, pattern, max_length }: Rules,
  value: unknown,
  texts: Texts,
  locale: string,
): string {
  const written = (limit: number | string) =>
    typeof limit === 'number' ? writeNumber(limit, locale) : type === 'date' ? writeDate(limit, locale) : limit;
  const given = value as number;
  if (type === 'integer' && !Number.isInteger(value)) return texts.notWhole;
  if (min !== undefined && given < (min as number)) return texts.atLeast(written(min));
  if (max !== undefined && given > (max as number)) return texts.atMost(written(max));
  if (typeof value === 'string' && max_length !== undefined && [...value].length > max_length) {
    return texts.tooLong(written(max_length));
  }
  if (step !== undefined) return texts.inSteps(written(step), written(min ?? 0));
  return pattern === undefined ? texts.notAllowed : texts.wrongForm;
}
