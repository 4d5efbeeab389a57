import { curl } from './curl.ts';
import type { SnippetFacts } from './facts.ts';
import { go } from './go.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { react } from './react.ts';
import { typescript } from './typescript.ts';

export const SNIPPETS = ['curl', 'typescript', 'react', 'python', 'php', 'go'] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/**
 * From no user to a selection that is read back, for each language with only its standard library, or with our own
 * client. e2e/connect.test.ts runs those for curl, Node and Python.
 */
export function makeSnippets(facts: SnippetFacts): Record<SnippetName, string> {
  return {
    curl: curl(facts),
    typescript: typescript(facts),
    react: react(facts),
    python: python(facts),
    php: php(facts),
    go: go(facts),
  };
}
