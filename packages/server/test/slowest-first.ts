import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where suites take long: they drive a browser, start processes or database servers, or wait for what has a time limit. */
const SLOW = [
  'e2e/',
  'faults/',
  'packages/guide/test/blocks',
  'packages/server/test/cli/',
  'packages/server/test/operations/',
  'packages/server/test/postgres/',
  'packages/server/test/tokens/',
  'packages/server/test/http/',
];

/** No process of the run is left alone with a long suite at the end: what is quick comes last. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number => {
      const path = moduleId.slice(project.config.root.length + 1);
      const slow = SLOW.findIndex((start) => path.startsWith(start));
      return slow === -1 ? SLOW.length : slow;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
