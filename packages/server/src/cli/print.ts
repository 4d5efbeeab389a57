import { styleText } from 'node:util';
import type { Failure } from './failure.ts';

/** The single result of a command, on stdout: one line of JSON, or text for people. */
export function printResult(options: { json?: true }, result: unknown, readable: () => string): void {
  process.stdout.write(`${options.json ? JSON.stringify(result) : readable()}\n`);
}

/**
 * Errors go to stderr in both forms, so that stdout has a result or nothing, and a script never takes an error for a
 * result.
 */
export function printFailure(json: boolean, { message, wayOut, problems, guide }: Failure): void {
  if (json) {
    const whole = [message, ...problems].join(' ');
    const error = { message: whole, ...(problems.length > 0 && { problems }), ...(wayOut && { wayOut }) };
    process.stderr.write(`${JSON.stringify({ error })}\n`);
    return;
  }
  const style = (format: 'red' | 'dim', text: string) => styleText(format, text, { stream: process.stderr });
  const lines = [`${style('red', 'innkeeper:')} ${message}`];
  for (const problem of problems) lines.push(`  ${style('red', '✗')} ${problem}`);
  if (wayOut && !guide) lines.push(`  ${style('dim', '→')} ${wayOut}`);
  if (guide) lines.push('', guide);
  process.stderr.write(`${lines.join('\n')}\n`);
}

export function bold(text: string): string {
  return styleText('bold', text);
}

export function dim(text: string): string {
  return styleText('dim', text);
}
