import { type Config, unknownVariables, unsafeSettings } from '../../config.ts';
import { openFileProblem } from '../../open-file-limit.ts';
import { splitWayOut } from '../split-way-out.ts';
import { type Check, failed, passed, warned } from './check.ts';

/** What `serve` would refuse. The secret has a line of its own; see database.ts for its other half. */
export function checkSettings(config: Config): Check[] {
  const failures = unsafeSettings(config).map(failedSetting);
  const fine = [passed('settings', 'safe'), passed('secret', 'strong')];
  return fine.flatMap((pass) => {
    const failed = failures.filter(({ check }) => check === pass.check);
    return failed.length > 0 ? failed : [pass];
  });
}

/** What is ignored in silence otherwise, and limits of the system. */
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
