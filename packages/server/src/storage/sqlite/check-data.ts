import type { DataCheck, DataCheckOptions } from '../port.ts';
import { connectToRead } from './connection.ts';
import { namingFile } from './errors.ts';
import { checkSteps, runChecks } from './file-check.ts';

/** Reads alone, so it is safe beside a running service. */
export function checkData(path: string, { deep, onStep }: DataCheckOptions): DataCheck {
  return namingFile(path, () => {
    const { database, close } = connectToRead(path);
    try {
      const steps = checkSteps(database, { deep });
      const findings = runChecks(steps, (what, done) => onStep(what, done, steps.length));
      return { checked: `pages, references${deep ? ', indexes' : ''}, users and profiles`, findings };
    } finally {
      close();
    }
  });
}
