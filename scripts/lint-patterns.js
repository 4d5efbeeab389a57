// node scripts/lint-patterns.js [FILES...]
//
// Refuses regular expressions whose worst case is worse than linear: a caller who sends the right text could hold up
// everyone else. Checks every literal and every `new RegExp('…')` of packages/*/src, and refuses `normalize()`, which
// is quadratic.

import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { RegExpParser } from '@eslint-community/regexpp';
import { parseAst } from 'rolldown/parseAst';
import { analyse } from 'scslre';

const ROOT = join(import.meta.dirname, '..');
const NORMALIZE = 'normalize()';

/** Patterns that never see text from outside, or only short text, by file and source; each with the reason. */
const EXEMPT = [
  ...list(
    'packages/server/src/domain/catalog/parse-file.ts',
    'a message of JSON.parse, which quotes a few characters',
    ['(, .*is not valid JSON| in JSON at position).*'],
  ),
  ...list('packages/server/src/domain/catalog/check-value.ts', 'a number of at most 1,000 digits', ['0+$']),
  ...list('packages/server/src/domain/accounts/password.ts', 'a password of at most 256 characters', [
    String.raw`^(.+?)\1+$`,
    String.raw`^[^\p{L}]+|[^\p{L}]+$`,
  ]),
  ...list('packages/server/src/domain/accounts/password.ts', 'bytes of our own in base64', ['=+$']),
  ...list('packages/server/src/domain/accounts/password.ts', 'a password of at most 1,024 characters', [NORMALIZE]),
  ...list('packages/server/src/nfc.ts', 'a text with few marks after each letter', [NORMALIZE]),
  ...list('packages/server/src/domain/catalog/export-texts.ts', 'the name of an application', [NORMALIZE]),
  ...list('packages/portal/src/rooms/catalog/texts.ts', 'in the browser of the person who typed it', [
    '^_+|_+$',
    NORMALIZE,
  ]),
  ...list('packages/portal/src/shell/palette/match.ts', 'in the browser of the person who typed it', [NORMALIZE]),
  ...list('packages/portal/src/rooms/audit/audit-looks.ts', 'names of our own', [
    String.raw`\.(erased|deleted|removed|revoked|.*Revoked|draftDiscarded|previousEnded|reset)$`,
  ]),
  ...list('packages/guide/src/draw-markdown.ts', 'our own pages, when they are built', [
    '<[^>]+>',
    String.raw`\]\([^)]*\)`,
  ]),
  ...list('packages/guide/src/for-programs.ts', 'our own pages, when they are built', [
    String.raw`\[([^\]]+)\]\([^)]*\)`,
  ]),
];

/** What often precedes or follows a word that a search begins with. */
const AROUND = ['', ' ', '-', ':', '.', '/', 'a', '0', '_', ',', ';', '"'];
const SIZES = [500, 2_000, 8_000, 32_000];
const MAX_MS = 60;

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('packages/*/src/**/*.{ts,tsx,js}', { cwd: ROOT });
const parser = new RegExpParser({ ecmaVersion: 2025 });
const used = new Set();
let found = 0;

for (const file of files) {
  const path = relative(ROOT, resolve(ROOT, file));
  const code = readFileSync(resolve(ROOT, file), 'utf8');
  for (const { source, flags, start } of listSuspects(parseAst(code, { lang: path.endsWith('x') ? 'tsx' : 'ts' }))) {
    const problem =
      source === NORMALIZE ? 'is quadratic in the marks after a letter; see inNfc' : findProblem(source, flags);
    if (!problem) continue;
    const exempt = EXEMPT.find((each) => each.file === path && each.source === source);
    if (exempt) used.add(exempt);
    else {
      found++;
      const line = code.slice(0, start).split('\n').length;
      const suspect = source === NORMALIZE ? source : `/${source}/${flags}`;
      console.error(`${path}:${line} ${suspect}: ${problem}`);
    }
  }
}
for (const exempt of EXEMPT) {
  if (given.length > 0 || used.has(exempt)) continue;
  found++;
  console.error(`${exempt.file}: ${exempt.source} is exempt and need not be, or is not there`);
}
process.exitCode = found > 0 ? 1 : 0;

/** The reason is for readers of the list. */
function list(file, _reason, sources) {
  return sources.map((source) => ({ file, source }));
}

function* listSuspects(node) {
  if (Array.isArray(node)) for (const each of node) yield* listSuspects(each);
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
  if (node.regex) yield { source: node.regex.pattern, flags: node.regex.flags, start: node.start };
  const [pattern, flags] = node.callee?.name === 'RegExp' ? node.arguments : [];
  if (typeof pattern?.value === 'string') {
    yield { source: pattern.value, flags: flags?.value ?? '', start: node.start };
  }
  if (node.callee?.property?.name === 'normalize') yield { source: NORMALIZE, start: node.start };
  for (const [name, child] of Object.entries(node)) if (name !== 'regex') yield* listSuspects(child);
}

/**
 * The analysis misses a search that restarts at each of many words. So every pattern also reads long texts that repeat
 * its own words, in growing sizes: a linear one takes less than a millisecond.
 */
function tryOut(source, flags, pattern) {
  const words = new Set(['a', '0', ' ', ...wordsOf(pattern)]);
  for (const unit of [...words].flatMap((word) => AROUND.flatMap((each) => [each + word, word + each]))) {
    for (const size of SIZES) {
      const text = `${unit.repeat(size / unit.length)}\n`;
      const times = [];
      do times.push(timeOf(() => text.replace(new RegExp(source, flags), '')));
      while (times.at(-1) > MAX_MS && times.length < 3);
      if (Math.min(...times) > MAX_MS)
        return `takes ${Math.round(Math.min(...times))} ms for ${size} characters of ${JSON.stringify(unit)}`;
      if (times[0] > MAX_MS) break;
    }
  }
  return undefined;
}

function timeOf(work) {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Runs of plain characters in each part of a pattern. */
function wordsOf(node) {
  const parts = node.alternatives ?? (node.element ? [node.element] : []);
  if (node.type !== 'Alternative') return parts.flatMap(wordsOf);
  const plain = node.elements.map((each) => (each.type === 'Character' ? String.fromCodePoint(each.value) : '\0'));
  return [...plain.join('').split('\0').filter(Boolean), ...node.elements.flatMap(wordsOf)];
}

function findProblem(source, flags) {
  const isUnicode = flags.includes('u') || flags.includes('v');
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: isUnicode && !flags.includes('v'),
    unicodeSets: flags.includes('v'),
  });
  const { reports } = analyse({ pattern, flags: parser.parseFlags(flags) }, { assumeRejectingSuffix: false });
  const [report] = reports;
  if (!report) return tryOut(source, flags, pattern);
  const where =
    report.type === 'Move' ? 'from every start' : report.exponential ? 'exponentially often' : 'in more than one way';
  return `reads the same text again ${where}, at ${report.quant?.raw ?? report.startQuant?.raw ?? source}`;
}
