/** Normalizing takes quadratic time in the number of marks after one letter. No language writes this many. */
const TOO_MANY_MARKS = /(?<!\p{M})\p{M}{31}/u;

/** Texts that look the same are the same, however a keyboard or an editor encodes their accents. */
export function inNfc(text: string): string {
  return TOO_MANY_MARKS.test(text) ? text : text.normalize('NFC');
}
