import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Slow test files: first those that keep processors busy, such as browsers; then those that mostly wait for processes,
 * servers or time limits.
 */
const SLOW = [
  ['e2e/', 'packages/guide/test/blocks'],
  [
    'faults/',
    'packages/server/test/cli/',
    'packages/server/test/http/',
    'packages/server/test/operations/',
    'packages/server/test/postgres/',
    'packages/server/test/sqlite/',
    'packages/server/test/tokens/',
  ],
];

/**
 * Starts with both kinds side by side, so that some wait while others work. Fast files come last, so that no worker
 * ends the run alone with a slow one.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files);
    const pathOf = ({ moduleId, project }: TestSpecification): string => moduleId.slice(project.config.root.length + 1);
    const places = new Map<TestSpecification, number>();
    for (const folders of SLOW) {
      const kind = all.filter((each) => folders.some((start) => pathOf(each).startsWith(start)));
      for (const [index, each] of kind.entries()) places.set(each, index / kind.length);
    }
    const place = (each: TestSpecification): number => places.get(each) ?? 1;
    return all.toSorted((one, other) => place(one) - place(other));
  }
}
