// Writes docs/errors.md from the table in src/domain/errors.ts. `npm run docs` runs it; test/domain/errors.test.ts
// checks it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorDefinition } from '../src/domain/errors.ts';

export const ERRORS_DOC = join(import.meta.dirname, '../../../docs/errors.md');

const GROUPS: { title: string; about: string; has(code: string): boolean }[] = [
  {
    title: 'Users and tokens',
    about:
      'User management, tokens, events and preference links. Where a field counts as missing, the message says why (absent, null, not a string, blank, too long, …).',
    has: (code) => code.startsWith('0'),
  },
  {
    title: 'Profile options',
    about: 'Option groups, option keys and user options.',
    has: (code) => code.startsWith('1'),
  },
  {
    title: 'Everything else',
    about:
      'What can happen on any path: 9, then the HTTP status. A path that starts with … is below `/manage/v1/applications/{clientId}`, or `/api/v2/app/{clientId}/users/{serviceUserCode}` for preference links.',
    has: (code) => code.startsWith('9'),
  },
];

export function renderErrorsDoc(): string {
  const definitions: ErrorDefinition[] = Object.values(ERRORS);
  const sections = GROUPS.flatMap(({ title, about, has }) => {
    const rows = definitions.filter(({ code }) => has(code)).sort((a, b) => a.code.localeCompare(b.code));
    if (rows.length === 0) return [];
    return [
      `## ${title}\n\n${about}\n\n| code | HTTP | meaning | what to do |\n| --- | --- | --- | --- |`,
      ...rows.map(toRow),
    ];
  });
  return `${INTRODUCTION}\n${sections.join('\n').replaceAll('\n## ', '\n\n## ')}\n`;
}

const INTRODUCTION = `# Errors

<!-- Generated from packages/server/src/domain/errors.ts by \`npm run docs\`: change it there. -->

Every error has the same body, with any HTTP status:

\`\`\`json
{"code":"0008","message":"specialToken is invalid: it is unknown, already used or expired."}
\`\`\`

Programs should use \`code\`; \`message\` is for people and can be more specific than here. A code with several rows has a message for each place that returns it. Every response has an \`X-Request-Id\`, which is also in the log.

| with | an error also has |
| --- | --- |
| introspection, revocation | \`error\`, \`error_description\` (RFC 6749) |
| profile options, \`/manage/v1\` | \`errors\` for invalid fields: \`field\`, \`message\`, \`allowed\` |
| \`/manage/v1\` | 9409: \`breaking\`; 9412: \`revision\` and \`revisions\`, the conflicting changes |
| \`Accept: application/problem+json\` | \`type\` (a link to the row of its code), \`title\`, \`status\`, \`detail\` (RFC 9457) |
`;

function toRow({ code, status, message, remedy }: ErrorDefinition): string {
  return `| ${code} | ${status} | ${toCell(message)} | ${toCell(remedy)} |`;
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The file on disk; empty if it was never written. */
export function readDoc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.main) writeFileSync(ERRORS_DOC, renderErrorsDoc());
