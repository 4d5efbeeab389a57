import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites that take long and keep processors busy, as they drive a browser, and such that mostly wait: for processes, servers, time limits. */
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
 * Both kinds side by side from the beginning: where some wait, others work. What is quick comes last, so that no process of the run is left
 * alone with a long suite at the end.
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
