import { type Config, unknownVariables } from '../../config.ts';
import { openFileProblem } from '../../open-file-limit.ts';
import { unsafeSettings } from '../../unsafe-settings.ts';
import { splitWayOut } from '../split-way-out.ts';
import { type Check, failed, passed, warned } from './check.ts';

/** What `serve` would refuse. The secret has its own line; database.ts has the other half of that check. */
export function checkSettings(config: Config): Check[] {
  const failures = unsafeSettings(config).map(failedSetting);
  const fine = [passed('settings', 'safe'), passed('secret', 'strong')];
  return fine.flatMap((pass) => {
    const failed = failures.filter(({ check }) => check === pass.check);
    return failed.length > 0 ? failed : [pass];
  });
}

/** Variables that would be ignored silently, and system limits. */
export function checkEnvironment(): Check[] {
  return [...unknownVariables(), openFileProblem() ?? []].flat().map((problem) => {
    const { message, wayOut = '' } = splitWayOut(problem);
    return warned('environment', message, wayOut);
  });
}

export function failedSetting(problem: string): Check {
  const { message, wayOut = 'See: innkeeper serve --help' } = splitWayOut(problem);
  return failed(problem.startsWith('INNKEEPER_SECRET ') ? 'secret' : 'settings', message, wayOut);
}
