/** Logo and accent colour of the preference page. */

const MAX_LOGO_BYTES = 16_384;
/** Image types by their first bytes; `at` is the offset. */
const IMAGES = [
  { type: 'image/png', at: 0, start: '89504e470d0a1a0a' },
  { type: 'image/jpeg', at: 0, start: 'ffd8ff' },
  { type: 'image/webp', at: 8, start: '57454250' },
] as const;
const DATA_URL = /^data:image\/[a-z]{1,10};base64,([A-Za-z0-9+/]*={0,2})$/;
const MAX_TEXT = 40 + Math.ceil(MAX_LOGO_BYTES / 3) * 4;

/**
 * The logo is embedded in the page: one loaded from elsewhere could track readers, and could change later. SVG is not
 * allowed, because it can contain scripts.
 */
export function readLogo(value: unknown): { value: string } | { problem: string } {
  const isShort = typeof value === 'string' && value.length <= MAX_TEXT;
  const bytes = Buffer.from((isShort && DATA_URL.exec(value)?.[1]) || '', 'base64');
  return writeLogo(bytes) ?? { problem: `must be ${LOGO_FORM}, as a data URL (data:image/png;base64,…)` };
}

export const LOGO_FORM = `a PNG, JPEG or WebP image of at most ${MAX_LOGO_BYTES / 1024} KiB`;

/** As stored; undefined: not a supported image. */
export function writeLogo(bytes: Buffer): { value: string } | undefined {
  const image = IMAGES.find(({ at, start }) => bytes.toString('hex', at, at + start.length / 2) === start);
  if (!image || bytes.length > MAX_LOGO_BYTES) return undefined;
  return { value: `data:${image.type};base64,${bytes.toString('base64')}` };
}

export function readAccentColor(value: unknown): { value: string } | { problem: string } {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
    ? { value: value.toLowerCase() }
    : { problem: 'must be a colour such as #1f5fbf' };
}

/** `accent` is for links and buttons, `onAccent` for the text on buttons. */
export type PageColors = { accent: string; onAccent: string };

/** WCAG 2.2, for text. */
const MIN_CONTRAST = 4.5;

/**
 * The accent colour if it is readable on the background, else as much of it as possible: mixed with black on a light
 * background and with white on a dark one.
 */
export function readableAccent(color: string, background: string): PageColors {
  const towards = luminance(toRgb(background)) > 0.5 ? 0 : 255;
  for (let percent = 0; ; percent += 4) {
    const mixed = toRgb(color).map((part) => Math.round(part + ((towards - part) * percent) / 100));
    if (percent < 100 && contrast(mixed, toRgb(background)) < MIN_CONTRAST) continue;
    // One of the two is always readable.
    const onAccent = contrast(mixed, [255, 255, 255]) >= contrast(mixed, [0, 0, 0]) ? '#ffffff' : '#000000';
    return { accent: `#${Buffer.from(mixed).toString('hex')}`, onAccent };
  }
}

function toRgb(color: string): number[] {
  return [...Buffer.from(color.slice(1), 'hex')];
}

/** WCAG 2.2 */
function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: readonly number[], other: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
