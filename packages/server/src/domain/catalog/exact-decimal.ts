/**
 * Numbers by their decimal digits. With binary fractions, 0.3 would not be a multiple of 0.1, and a number could
 * silently be stored as another one.
 */
type Decimal = { digits: string; exponent: number };

/** No exactly representable number reasonably needs more digits. */
const MAX_LENGTH = 1_000;

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Whether a number, as written, is stored exactly. */
export function isKeptExactly(written: string): boolean {
  const kept = Number(written);
  if (!Number.isFinite(kept) || written.length > MAX_LENGTH) return false;
  const before = readDecimal(written);
  const after = readDecimal(String(kept));
  return before === undefined || (before.digits === after?.digits && before.exponent === after.exponent);
}

/** undefined for anything but decimal digits. */
function readDecimal(text: string): Decimal | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [undefined, undefined];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (whole + fraction === '') return undefined;
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return { digits: '0', exponent: 0 };
  return {
    digits: (sign === '-' ? '-' : '') + significant,
    exponent: Number(exponent) - fraction.length + (digits.length - significant.length),
  };
}

/** Whether `value` is exactly a whole number of steps away from `start`. */
export function isWholeSteps(value: number, start: number, step: number): boolean {
  const decimals = [value, start, step].map((number) => readDecimal(String(number)) as Decimal);
  const least = Math.min(...decimals.map(({ exponent }) => exponent));
  const [a = 0n, b = 0n, c = 1n] = decimals.map(
    ({ digits, exponent }) => BigInt(digits) * 10n ** BigInt(exponent - least),
  );
  return (a - b) % c === 0n;
}
