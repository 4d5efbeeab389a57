import type { ServerResponse } from 'node:http';
import { statusText } from './status-text.ts';

/** What no value of a header may hold: RFC 9110 5.5. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

/** A header as it is sent. Names are our own, in lower case. */
export function headLine(name: string, value: string): string {
  if (FORBIDDEN.test(value)) throw new TypeError(`The header ${name} holds what a header cannot.`);
  return `${name}: ${value}\r\n`;
}

/** Of names and values in turn. */
export function headLines(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) lines += headLine(headers[at] as string, headers[at + 1] as string);
  return lines;
}

type Internals = { _hasBody: boolean; _storeHeader?(head: string, headers: readonly string[]): void };

/**
 * `response.writeHead` for headers of which most are lines already; `rest` has those that node goes by, as the length of
 * a body, and any others. writeHead looks at every name and value anew, which is a tenth of all that node does for a small answer, and
 * there is no public way around it. So this calls what writeHead ends in; where a later node has no such thing, writeHead.
 */
export function writeReadyHead(
  response: ServerResponse,
  status: number,
  lines: string,
  rest: readonly string[] = [],
): void {
  const internals = response as unknown as Internals;
  if (!internals._storeHeader) {
    response.writeHead(status, [...headersOf(lines), ...rest]);
    return;
  }
  response.statusCode = status;
  if (status === 204 || status === 304) internals._hasBody = false;
  internals._storeHeader(`HTTP/1.1 ${status} ${statusText(status)}\r\n${lines}`, rest);
}

function headersOf(lines: string): string[] {
  const each = lines.split('\r\n').slice(0, -1);
  return each.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
}
