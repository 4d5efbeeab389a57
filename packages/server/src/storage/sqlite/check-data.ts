import type { DataCheck, DataCheckOptions } from '../port.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { namingFile } from './errors.ts';
import { type FileCheck, factActs } from './facts.ts';
import { checkSteps, runChecks } from './file-check.ts';

/** Reads alone, so it is safe beside a running service. Only damage is written down, for the services on the file. */
export function checkData(path: string, { deep, onStep }: DataCheckOptions): DataCheck {
  return namingFile(path, () => {
    const { database, close } = connectToRead(path);
    try {
      const steps = checkSteps(database, { deep });
      const startedAt = Date.now();
      const findings = runChecks(steps, (what, done) => onStep(what, done, steps.length));
      if (findings.length > 0) recordDamage(path, { startedAt, finishedAt: Date.now(), findings });
      return { checked: `pages, references${deep ? ', indexes' : ''}, users and profiles`, findings };
    } finally {
      close();
    }
  });
}

/** Services look at it every minute, check for themselves and stop writing (damage-watch.ts). */
function recordDamage(path: string, check: FileCheck): void {
  try {
    const connection = connectToWrite(path);
    try {
      factActs(connection).recordFileCheck(check);
    } finally {
      connection.close();
    }
  } catch {
    // The damage is where this would be written, or somebody else writes: it is reported here all the same.
  }
}
