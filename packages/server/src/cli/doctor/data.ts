import { messageOf } from '../../caught.ts';
import { DatabaseDamaged, type DataCheck } from '../../storage/port.ts';
import { RESTORE_STEPS } from '../../storage/repair-steps.ts';
import type { Progress } from '../progress.ts';
import { type Check, failed, passed, warned } from './check.ts';

const RESTORE_POSTGRES =
  'Copy the data directory, restore the last valid backup (innkeeper restore, or your own PostgreSQL backup), then check the disk and the server log.';
/** More would fill the screen. */
const SHOWN = 3;

export type DoctorOptions = { deep: boolean; progress: Progress };

/** Reads the whole database: the only check that takes long. `deep` takes about five times as long. */
export async function checkConsistency(
  databaseUrl: string,
  { deep, progress }: DoctorOptions,
): Promise<{ check: Check; findings: string[] }> {
  const { checkData } = await import('../../storage/open.ts');
  const wayOut = databaseUrl.startsWith('sqlite:') ? RESTORE_STEPS : RESTORE_POSTGRES;
  try {
    const onStep = (what: string, done: number, of: number): void => progress.show(done, 'checks', done / of, what);
    const found = await checkData(databaseUrl, { deep, onStep });
    return { check: describe(found, wayOut), findings: found.findings };
  } catch (error) {
    const check =
      error instanceof DatabaseDamaged
        ? failed('data', error.message, wayOut)
        : failed('data', `check failed: ${messageOf(error)}`, afterFailure(error as Error));
    return { check, findings: [] };
  } finally {
    progress.clear();
  }
}

/** PostgreSQL needs some space for the check itself: it creates the expected tables and rolls back. */
function afterFailure({ message }: Error): string {
  const again = 'Run `innkeeper doctor` again.';
  return /no space left|disk is full/i.test(message) ? `Free some disk space where the database is. ${again}` : again;
}

function describe({ checked, findings, skipped }: DataCheck, wayOut: string): Check {
  if (findings.length > 0) {
    const more = findings.length > SHOWN ? `; and ${findings.length - SHOWN} more` : '';
    return failed('data', `damaged: ${findings.slice(0, SHOWN).join('; ')}${more}`, wayOut);
  }
  if (skipped) return warned('data', `${checked} are consistent; ${skipped.what}`, skipped.wayOut);
  return passed('data', `${checked} are consistent`);
}
