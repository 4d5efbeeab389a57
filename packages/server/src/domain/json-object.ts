import { isUtf8 } from 'node:buffer';
import { InnkeeperError } from './errors.ts';
import { findAmbiguity } from './find-ambiguity.ts';
import { findExcess } from './find-excess.ts';

/** Deeper than any valid body. */
const MAX_DEPTH = 32;
/** Texts this short cannot contain too much for the parser; their depth is checked afterwards. */
const SHORT = 2_048;

/** Parses a JSON object of bounded depth and size without repeated names; throws 0021 with the reason otherwise. */
export function parseJsonObject(body: Uint8Array | undefined, maxContainers?: number): Record<string, unknown> {
  if (!body || body.length === 0) throw refuse('it is empty');
  if (!isUtf8(body)) throw refuse('it is not UTF-8');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const excess = text.length > SHORT ? findExcess(text, MAX_DEPTH, maxContainers) : undefined;
  if (excess) throw refuse(`it ${excess.message}`);
  const value = parse(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw refuse('it is not an object');
  const problem = findAmbiguity(text);
  if (problem) throw refuse(problem);
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('it cannot be parsed');
  }
}

function refuse(reason: string): InnkeeperError {
  return new InnkeeperError('bodyNotJson', { message: `The body is not a valid JSON object: ${reason}.` });
}
