import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS_DOC, readDoc, renderErrorsDoc } from '../../scripts/write-errors-doc.ts';
import { ERRORS, type ErrorDefinition } from '../../src/domain/errors.ts';

const definitions: [name: string, definition: ErrorDefinition][] = Object.entries(ERRORS);
const codes = [...new Set(definitions.map(([, { code }]) => code))].sort();

const OF_THE_INTERFACE = [
  ...['0001', '0004', '0005', '0007', '0011', '0012', '0021', '0023', '0024'], // 7.1 create user
  ...['0002', '0006', '0007', '0008', '0009', '0010', '0016'], // 7.2 get access token
  ...['0012', '0025'], // 7.3 delete user
];
/** /manage/v1 */
const OF_MANAGE = ['9400', '9401', '9403', '9404', '9409', '9410', '9412', '9422', '9428'];
/** Additional codes for users and tokens, and for HTTP itself (docs/decisions/0013). */
const OF_HTTP = ['9401', '9404', '9405', '9413', '9422', '9429', '9500', '9503', '9400', '9408', '9417', '9431'];

const OF_THE_OPTIONS = Array.from({ length: 14 }, (_, index) => String(1001 + index));

/** Codes that no test over HTTP can provoke, each with its reason. */
const NOT_PROVOKED: Record<string, string> = {
  9500: 'answered for a defect alone: a test that can provoke it has found one',
};

describe('the table of errors', () => {
  test('has exactly the codes of the interface and of the contract', () => {
    expect(codes).toEqual([...new Set([...OF_THE_INTERFACE, ...OF_THE_OPTIONS, ...OF_HTTP, ...OF_MANAGE])].sort());
  });

  test.each(definitions)('%s is complete', (_name, { code, status, message, remedy }) => {
    expect(code).toMatch(/^\d{4}$/);
    expect(message).toMatch(/^\S.*\.$/s);
    expect(remedy).toMatch(/^\S.*\.$/s);
    // HTTP 400, except for the contract's 401 for invalid credentials.
    if (code.startsWith('0')) expect([400, 401]).toContain(status);
    if (code.startsWith('9')) expect(code).toBe(`9${status}`);
  });

  test('the same code and status never has two messages', () => {
    const texts = definitions.map(([, { code, message }]) => `${code} ${message}`);
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('docs/errors.md matches: if not, run "npm run docs"', () => {
    expect(readDoc(ERRORS_DOC)).toBe(renderErrorsDoc());
  });
});

describe('every code is provoked by a test over HTTP', () => {
  const sources = ['http', 'manage', 'operations']
    .map((folder) => readFolder(join(import.meta.dirname, '..', folder)))
    .join('\n');
  // As a test expects it, not just mentioned in a comment.
  const isMentioned = (code: string) => new RegExp(`['"]${code}['"]`).test(sources);

  test.each(codes)('%s', (code) => {
    if (code in NOT_PROVOKED) return;
    expect(isMentioned(code), `no test in test/http, test/manage or test/operations names ${code}`).toBe(true);
  });
});

function readFolder(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}
