import { expect, test } from 'vitest';
import type { SnippetFacts } from '../src/rooms/connect/snippets/facts.ts';
import { makeSnippets } from '../src/rooms/connect/snippets/make-snippets.ts';
import { sampleOf } from '../src/rooms/connect/snippets/sample-of.ts';

const facts: SnippetFacts = {
  base: 'https://inn.example',
  clientId: '1_abc',
  sample: { groupUid: 'g', groupName: 'it"s', keyUid: 'k', keyName: "what's (this) `here` $HOME*?", value: [true] },
};
const WITH_SECRET = ['curl', 'typescript', 'python', 'php', 'go'] as const;

test('snippets for a terminal have no comments: zsh takes them for commands', () => {
  for (const each of [facts, { ...facts, sample: undefined }]) {
    const lines = makeSnippets(each).curl.split('\n');
    expect(lines.filter((line) => /(^|\s)#/.test(line))).toEqual([]);
  }
});

test.each(WITH_SECRET)('the secret in %s appears once, at the top, and the environment comes before it', (name) => {
  const snippet = makeSnippets(facts)[name];
  expect(snippet.split('YOUR_CLIENT_SECRET')).toHaveLength(2);
  expect(snippet).toContain('INNKEEPER_CLIENT_SECRET');
  const filled = makeSnippets({ ...facts, secret: 'its-own' })[name];
  expect(filled).toBe(snippet.replace('YOUR_CLIENT_SECRET', 'its-own'));
});

test("no secret is in code that runs in other people's pages", () => {
  expect(makeSnippets({ ...facts, secret: 'its-own' }).react).toBe(makeSnippets(facts).react);
});

test('a selection is visible: yes, or not the first', () => {
  const chosen = (...values: (string | boolean)[]) =>
    sampleOf({
      keyUid: 'k',
      groupUid: 'g',
      groupName: 'group',
      name: 'n',
      multiple: false,
      values: values.map((value) => ({ value, label: '' })),
    })?.value;
  expect([chosen(true, false), chosen('a', 'b'), chosen('a'), chosen()]).toEqual([[true], ['b'], ['a'], undefined]);
});
