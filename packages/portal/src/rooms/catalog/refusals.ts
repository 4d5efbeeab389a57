import { isInnkeeperError } from '@innkeeper/client/manage';
import { useTranslation } from 'react-i18next';

/** Codes that list fields of the request: it is invalid, or would make the catalog invalid. */
const CODES = new Set(['9400', '9422']);

/** Problems that the page has a field and a text for. */
const FIELDS = [
  [/^name$/, 'name'],
  [/^values\[\d+\](\.value)?$/, 'value'],
  [/^values\[\d+\]\.translations\b/, 'valueText'],
  [/^values\[\d+\]\.replacement$/, 'replacement'],
  [/^constraint\.(min|max|step|max_length)$/, 'limit'],
  [/^constraint\.pattern$/, 'pattern'],
  [/^(min|max)$/, 'count'],
  [/^default\b/, 'default'],
] as const;
type Refusal = (typeof FIELDS)[number][1];

/** The service's refusal of a field or of something within it. */
export function refusalOf(error: unknown, field: string): Refusal | undefined {
  const within = refusedFields(error).find(
    (each) => each === field || (/^[.[]/.test(each.slice(field.length)) && each.startsWith(field)),
  );
  return within === undefined ? undefined : wordsFor(within);
}

/** Whether the errors at the fields say everything. */
export function isShownAtFields(error: unknown): boolean {
  const fields = refusedFields(error);
  return fields.length > 0 && fields.every((field) => wordsFor(field) !== undefined);
}

function wordsFor(field: string): Refusal | undefined {
  return FIELDS.find(([pattern]) => pattern.test(field))?.[1];
}

function refusedFields(error: unknown): string[] {
  return isInnkeeperError(error) && CODES.has(error.code) ? error.errors.map(({ field }) => field) : [];
}

/** The same in the language of the portal. */
export function useRefusal(error: unknown): (field: string) => string | undefined {
  const { t } = useTranslation('catalog');
  return (field) => {
    const refusal = refusalOf(error, field);
    return refusal && t(`refused.${refusal}`);
  };
}
