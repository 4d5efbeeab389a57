import { parseCatalogFile } from '../../../src/domain/catalog/parse-file.ts';
import { showProblem } from '../../../src/domain/catalog/source.ts';

/** The problems as the command line reports them. */
export function problems(text: string, name = 'catalog.yaml'): string[] {
  const parsed = parseCatalogFile(text, name);
  return 'problems' in parsed ? parsed.problems.map((problem) => showProblem(name, problem)) : [];
}

/** A file whose first two lines are valid. */
export const file = (groups: string, languages = '[{ name: English, tag: en }, { name: Español, tag: es }]') =>
  `languages: ${languages}\n${groups}`;
/** Its key begins in line 5, column 7. */
export const key = (body: string) => file(`groups:\n  - name: g\n    keys:\n    - { name: k, ${body} }\n`);
