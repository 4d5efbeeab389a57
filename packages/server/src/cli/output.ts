import { stripVTControlCharacters, styleText } from 'node:util';
import { commandName } from '../config.ts';
import { counted, showRoughly, UNITS } from '../time.ts';
import type { Failure } from './failure.ts';

/** The single result of a command, on stdout: one line of JSON, or text for people. */
export function printResult(options: { json?: true }, result: unknown, readable: () => string): void {
  process.stdout.write(`${options.json ? toJson(result) : asTyped(withoutControls(readable()))}\n`);
}

/** On stderr, for people: with --json, stderr is only for errors. */
export function printNote(options: { json?: true }, note: string): void {
  if (!options.json) process.stderr.write(`innkeeper: ${note}\n`);
}

/** On a terminal, the control characters that JSON may contain would act too. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

/** Texts may come from a remote service: of all control characters, only line breaks, tabs and styles act. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}(?:\[[\d;]*m)?/gu, (found) => {
    const control = found.charAt(0);
    const acts = control === '\n' || control === '\t' || (control === '\u001b' && found.length > 1);
    return acts ? found : visible(control) + found.slice(1);
  });
}

const COMMAND =
  /(?<!npx |exec )\binnkeeper (?=(?:admin|app|backup|catalog|doctor|health|migrate|restore|scrub|secret|serve|token|users|webhook)\b)/g;

/** Commands in a text, the way that works here: see commandName. */
export function asTyped(text: string, command = commandName()): string {
  return text.replace(COMMAND, `${command} `);
}

/**
 * Errors go to stderr in both forms, so that stdout has a result or nothing, and a script never takes an error for a
 * result.
 */
export function printFailure(json: boolean, failure: Failure): void {
  const { guide } = failure;
  const shown = (text: string) => asTyped(json ? text : withoutControls(text));
  const message = shown(failure.message);
  const remedy = failure.remedy && shown(failure.remedy);
  const problems = failure.problems.map(shown);
  if (json) {
    const whole = [message, ...problems].join(' ');
    const error = { message: whole, ...(problems.length > 0 && { problems }), ...(remedy && { remedy }) };
    process.stderr.write(`${toJson({ error })}\n`);
    return;
  }
  const style = (format: 'red' | 'dim', text: string) => styleText(format, text, { stream: process.stderr });
  const lines = [`${style('red', 'innkeeper:')} ${message}`];
  for (const problem of problems) lines.push(`  ${style('red', '✗')} ${problem}`);
  if (remedy && !guide) lines.push(`  ${style('dim', '→')} ${remedy}`);
  if (guide) lines.push('', guide);
  process.stderr.write(`${lines.join('\n')}\n`);
}

export function bold(text: string): string {
  return styleText('bold', text);
}

export function dim(text: string): string {
  return styleText('dim', text);
}

/** If the last column is narrower than this, leave wrapping to the terminal. */
const LEAST_TEXT_WIDTH = 24;

/**
 * A table in which each column is as wide as its widest cell. The last column is not padded; given the width of a
 * terminal, it wraps within its column.
 */
export function layOut(
  rows: readonly (readonly string[])[],
  {
    indent = 0,
    gap = 3,
    lineWidth = process.stdout.columns,
  }: { indent?: number; gap?: number; lineWidth?: number } = {},
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  const lines = rows.flatMap((row) => {
    const cells = row
      .slice(0, -1)
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell) + gap));
    const before = ' '.repeat(indent) + cells.join('');
    const [first = '', ...more] = breakText(
      row.at(-1) ?? '',
      (lineWidth ?? Number.POSITIVE_INFINITY) - widthOf(before),
    );
    return [before + first, ...more.map((line) => ' '.repeat(widthOf(before)) + line)];
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** A name can contain anything; on a terminal it must neither break the line nor act as an escape sequence. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === ZERO_WIDTH_JOINER ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Joins the parts of an emoji. */
const ZERO_WIDTH_JOINER = '\u200d';

function breakText(text: string, width: number): string[] {
  if (width < LEAST_TEXT_WIDTH || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(`${line} ${word}`) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** Terminal cells: East Asian characters and emoji take two. */
function widthOf(styled: string): number {
  const text = stripVTControlCharacters(styled);
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

export { counted, showRoughly };

/** The inverse of formatTime(). */
export function readTime(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

/** Exact: 600 is "10 minutes", 5400 "1 hour 30 minutes", and a day "24 hours". */
export function showDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [unit, size] of seconds < 2 * 86_400 ? UNITS.slice(1) : UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(counted(count, unit));
    rest -= count * size;
  }
  return parts.join(' ') || '0 seconds';
}

export function showAge(milliseconds: number): string {
  return milliseconds < 2_000 ? 'just now' : `${showRoughly(milliseconds)} ago`;
}

export function showSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3).toLocaleString('en')} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
