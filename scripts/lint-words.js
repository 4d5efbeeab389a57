// node scripts/lint-words.js [FILES...]
//
// Finds words and phrases that Innkeeper does not use: in the portal's English, the guide and other pages, and in all
// texts (the API reference, errors, the command line, logs) and comments of most packages. Each comes with a
// suggestion.

import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const ROOT = join(import.meta.dirname, '..');

const TEXTS = [
  'packages/portal/src/locales/en/*.json',
  'packages/{server,portal,guide,testing}/src/**/*.{ts,tsx}',
  'docs/*.md',
  '{README,CHANGELOG,CONTRIBUTING,SECURITY}.md',
  'packages/*/README.md',
];

/** Words and phrases to avoid, and what to write instead. */
const WORDS = [
  ['whoever|whomever', 'name the part that does it, or "anyone who"'],
  ['whatever', 'name the thing, or "any"'],
  ['anew', '"again", or say what is new'],
  ['thereof|therein|whereupon', 'name the thing'],
  ['all the same', '"anyway"'],
  ['(?:is|are|was|were) told', '"sees", "gets" or "appears"'],
  ['told when to come again|come again', '"Retry-After"'],
  ['of late', '"in the last minute", "recently"'],
  ['under way', '"in flight"'],
  ['(?:is|are|be|stays?|still|longer) good', '"valid"'],
  ['good (?:for|until)', '"valid for", "expires"'],
  ['is not as it should be', '"is invalid"'],
  ['does not do', '"is invalid"'],
  ['at fault', '"invalid"'],
  ['(?:is|are) (?:asked for|needed) (?:as well|beside)', '"is also required"'],
  ['there is no way back|way back', '"This cannot be undone."'],
  ['way out', '"suggested fix"'],
  ['misused', '"usage error"'],
  ['guests?', '"user"'],
  ['erased? (?:a |the )?users?|users? erased', '"delete"'],
  ['from afar', '"remote"'],
  ['taken? back', '"undo", "revoke"'],
  ['brings? back', '"restore"'],
  ['taken? (?:it |them )?over', '"apply", "import"'],
  ['what would become of', '"plan for"'],
  ['what people (?:read|call)', '"label", "name"'],
  ['what they choose from', '"options"'],
  ['half-written', '"partly written"'],
  ['in the clear', '"unencrypted"'],
  ['(?:is|are) in this answer and nowhere else', '"is shown only in this response"'],
  ['shown this once', '"shown only once"'],
  ['(?:everything|all) that is theirs', '"all of their data"'],
].map(([phrase, instead]) => ({ pattern: new RegExp(`\\b(?:${phrase})\\b`, 'gi'), instead }));

/** Exceptions by file and phrase (in lower case; without one, the whole file); each with the reason. */
const EXEMPT = [
  ...['postgres', 'sqlite'].map((database) => ({
    file: `packages/server/src/storage/${database}/migrations.ts`,
    reason: 'SQL of a migration that has been applied does not change, with its comments',
  })),
];

const given = process.argv.slice(2);
const files = given.length > 0 ? given : TEXTS.flatMap((each) => globSync(each, { cwd: ROOT })).sort();
let found = 0;

for (const file of files) {
  const path = relative(ROOT, resolve(ROOT, file));
  const source = readFileSync(resolve(ROOT, file), 'utf8');
  // Parsing takes most of the time.
  if (!WORDS.some(({ pattern }) => source.search(pattern) >= 0)) continue;
  for (const { text, line } of listTexts(path, source)) {
    for (const { pattern, instead } of WORDS) {
      for (const [phrase] of text.matchAll(pattern)) {
        if (isExempt(path, phrase.toLowerCase())) continue;
        found += 1;
        process.stderr.write(`${path}:${line} "${phrase}": write ${instead}\n`);
      }
    }
  }
}
process.exitCode = found > 0 ? 1 : 0;

function isExempt(path, phrase) {
  return EXEMPT.some((each) => each.file === path && (each.phrase === undefined || each.phrase === phrase));
}

/** Every text for people, with its line. */
function listTexts(path, source) {
  if (path.endsWith('.json'))
    return source.split('\n').map((text, index) => ({ text: text.replace(/^\s*"\w+":/, ''), line: index + 1 }));
  if (path.endsWith('.md')) return listProse(source);
  const texts = listComments(source);
  walk(parseAst(source, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }), (node) => {
    const text = node.type === 'TemplateElement' ? node.value.cooked : node.type === 'Literal' ? node.value : undefined;
    if (typeof text === 'string') texts.push({ text, line: source.slice(0, node.start).split('\n').length });
  });
  return texts;
}

/** Line by line: the parser does not return comments. */
function listComments(source) {
  return source.split('\n').flatMap((row, index) => {
    const comment = /^\s*(?:\/\/|\/?\*)(.*)/.exec(row) ?? /[;,{(] \/\/ (.*)/.exec(row);
    return comment ? [{ text: comment[1], line: index + 1 }] : [];
  });
}

/** Markdown without its code. */
function listProse(source) {
  let isCode = false;
  return source.split('\n').flatMap((row, index) => {
    const isFence = row.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    return isFence || isCode ? [] : [{ text: row.replace(/`[^`]*`/g, '``'), line: index + 1 }];
  });
}

function walk(node, visit) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else {
    if (typeof node.type === 'string') visit(node);
    for (const value of Object.values(node)) walk(value, visit);
  }
}
