import i18next from 'i18next';

type Texts = Record<string, string>;
type FieldProblem = { field?: unknown; message?: unknown };

/**
 * What went wrong, in the reader's language if the portal has this sentence of the service, else as the service says
 * it. Its codes are too coarse for this. In English, the texts are the service's own: a test compares them.
 */
export function problemText(error: unknown): string {
  const { message = String(error), errors } = (error ?? {}) as { message?: string; errors?: FieldProblem[] };
  const first = errors?.[0];
  if (first && message === `${first.field} ${first.message}.`) {
    return `${first.field} ${fieldProblem(String(first.message))}.`;
  }
  return translate('sentences', message);
}

/** Why a field is invalid, worded to follow its name. */
export function fieldProblem(message: string): string {
  return translate('fields', message);
}

/** The same as a sentence, for use below the field (by default, any); undefined if the service does not name it. */
export function fieldText(error: unknown, field?: string): string | undefined {
  const { errors } = (error ?? {}) as { errors?: FieldProblem[] };
  const problem = errors?.find((each) => field === undefined || each.field === field);
  // The value is in the field.
  return problem && asSentence(fieldProblem(String(problem.message).replace(/; got .*$/s, '')));
}

function asSentence(text: string): string {
  const [first = '', ...rest] = text;
  return `${first.toLocaleUpperCase(i18next.language)}${rest.join('')}${/[.!?…]$/.test(text) ? '' : '.'}`;
}

/** If several texts fit, the one with the most words of its own. */
function translate(kind: 'sentences' | 'fields', message: string): string {
  const textsIn = (language: string) => (i18next.getResource(language, 'problems', kind) ?? {}) as Texts;
  const translated = textsIn(i18next.language);
  const [known] = Object.entries(textsIn('en'))
    .flatMap(([name, text]) => {
      const slots = readSlots(text, message);
      return slots && translated[name] !== undefined ? [{ text: translated[name], slots }] : [];
    })
    .sort((one, other) => sizeOf(one.slots) - sizeOf(other.slots));
  return known ? known.text.replaceAll(SLOT, (_, name: string) => known.slots.get(name) ?? '') : message;
}

const SLOT = /\{\{(\w+)\}\}/g;

/** The text in place of each slot; undefined if the message is another one. */
function readSlots(text: string, message: string): Map<string, string> | undefined {
  // Every second part is the name of a slot.
  const parts = text.split(SLOT);
  const slots = new Map<string, string>();
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) continue;
    const isLast = index === parts.length - 1;
    const found = index === 0 ? 0 : isLast ? message.length - part.length : message.indexOf(part, at + 1);
    if (found < at || !message.startsWith(part, found)) return undefined;
    if (index > 0) slots.set(parts[index - 1] as string, message.slice(at, found));
    at = found + part.length;
  }
  return at === message.length ? slots : undefined;
}

function sizeOf(slots: ReadonlyMap<string, string>): number {
  return [...slots.values()].join('').length;
}
