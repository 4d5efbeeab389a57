// Writes docs/errors.md from the table in src/domain/errors.ts; `npm run docs` runs it, test/domain/errors.test.ts holds it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorDefinition } from '../src/domain/errors.ts';

export const ERRORS_DOC = join(import.meta.dirname, '../../../docs/errors.md');

const GROUPS: { title: string; about: string; has(code: string): boolean }[] = [
  {
    title: 'Users and tokens',
    about:
      'The codes of create-user, special-token, get-access-token and delete. Where a field counts as missing, the message says in which way (absent, null, not a string, blank, too long, …).',
    has: (code) => code.startsWith('0'),
  },
  {
    title: 'Profile options',
    about: 'The codes of option groups, option keys and user options.',
    has: (code) => code.startsWith('1'),
  },
  {
    title: 'Everything else',
    about: 'What can happen on any path: 9, then the HTTP status.',
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

Every error has the same body, whatever the HTTP status:

\`\`\`json
{"code":"0008","message":"specialToken is invalid: it is unknown, spent or expired."}
\`\`\`

Programs should go by \`code\`; \`message\` is for people and may be worded more precisely than here. A code that stands in
several rows has a message for each place it comes from. Every answer carries \`X-Request-Id\`, which the log has too.
Introspection and revocation answer \`error\` and \`error_description\` (RFC 6749) beside the two fields; the profile options
and \`/manage/v1\` add \`errors\`, a list of \`field\`, \`message\` and \`allowed\`, where a field is at fault. Of
\`/manage/v1\`, 9409 also has \`breaking\`, and 9412 \`revision\` and \`revisions\`: what stands in the way.

With \`Accept: application/problem+json\` an error is also problem details (RFC 9457): \`type\`, which leads to the row of its code in the
guide of the service, \`title\`, \`status\` and \`detail\` stand beside these fields.
`;

function toRow({ code, status, message, remedy }: ErrorDefinition): string {
  return `| ${code} | ${status} | ${toCell(message)} | ${toCell(remedy)} |`;
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** As it is on disk; empty when it was never written. */
export function readDoc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

if (import.meta.main) writeFileSync(ERRORS_DOC, renderErrorsDoc());
