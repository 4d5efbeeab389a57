import { type FieldError, InnkeeperError } from '../errors.ts';

/**
 * Maximum fields in a response, and those that list what is allowed, so that it is never much larger than its request.
 */
const MAX_FIELDS = 200;
const MAX_ALLOWED = 10;

/** Collects the problems of all parts of a request, in any order, and reports them at once. */
export class Refusals {
  readonly #found: { place: number; error: InnkeeperError }[] = [];
  #lastPlace = -1;

  /** undefined: it was refused, or skipped because enough refusals were collected. */
  attempt<T>(place: number, work: () => T): T | undefined {
    if (this.#found.length >= MAX_FIELDS && place > this.#lastPlace) return undefined;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InnkeeperError)) throw error;
      this.refuse(place, error);
      return undefined;
    }
  }

  refuse(place: number, error: InnkeeperError): void {
    if (this.#found.length >= MAX_FIELDS && place > this.#lastPlace) return;
    this.#found.push({ place, error });
    this.#lastPlace = Math.max(this.#lastPlace, place);
  }

  /** Throws the first error of the first invalid part, with the fields of all. */
  throwIfAny(): void {
    const [first, ...others] = this.#found.sort((a, b) => a.place - b.place).map(({ error }) => error);
    if (!first) return;
    if (others.length === 0) throw first;
    const fields = [first, ...others].flatMap((error) => error.fields ?? []).slice(0, MAX_FIELDS);
    const { error, message, headers, more } = first;
    throw new InnkeeperError(error, { message, headers, more, fields: fields.map(withoutMostAllowed) });
  }
}

function withoutMostAllowed(field: FieldError, index: number): FieldError {
  if (index < MAX_ALLOWED) return field;
  const { allowed: _, ...rest } = field;
  return rest;
}
