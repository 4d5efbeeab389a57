import { type Config, ConfigError, idleVariables, readConfig, unknownVariables } from '../../config.ts';
import { openFileProblem } from '../../open-file-limit.ts';
import type { Settings } from '../../service-settings.ts';
import { unsafeSettings } from '../../unsafe-settings.ts';
import { Failure, splitRemedy } from '../failure.ts';
import { refuseLostDatabase } from '../new-database.ts';
import { refuseMissingDatabase } from '../with-storage.ts';
import { type Check, failed, passed, warned } from './check.ts';
import { checkMail, checkOidc, checkTokenService } from './connected-services.ts';
import { checkDatabase, type DoctorOptions } from './database.ts';
import { checkCertificate, checkPort } from './public-address.ts';

/** Every check, in reading order. */
export async function examine(settings: Settings, options: DoctorOptions): Promise<Check[]> {
  return [...checkEnvironment(), ...(await examineConfig(settings, options))];
}

/** A failure that prevents other checks is reported alone. */
async function examineConfig(settings: Settings, options: DoctorOptions): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig(settings, { needsSecret: false });
    refuseLostDatabase(config);
    // Create nothing for a check: a mistyped path would leave a secret and a folder behind.
    refuseMissingDatabase(config);
    config = readConfig(settings);
  } catch (error) {
    if (error instanceof Failure) return [failed('database', error.message, error.remedy ?? '')];
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(failedSetting);
  }
  const [{ checks: database, keyIds }, tokenService, mail, oidc, certificate] = await Promise.all([
    checkDatabase(config, options),
    checkTokenService(config),
    checkMail(config),
    checkOidc(config),
    checkCertificate(config),
  ]);
  const checks = [
    ...idleVariables(config).map(environmentWarning),
    ...checkSettings(config),
    ...database,
    tokenService,
    ...mail,
    ...oidc,
    ...certificate,
    await checkPort(config, keyIds),
  ];
  // Two checks look at the secret: it is fine if both pass.
  const failing = new Set(checks.filter(({ ok }) => !ok).map(({ check }) => check));
  return checks.filter(({ check, ok }) => !ok || !failing.has(check));
}

/** What `serve` would refuse. The secret has its own line; database.ts has the other half of that check. */
function checkSettings(config: Config): Check[] {
  const failures = unsafeSettings(config).map(failedSetting);
  const fine = [passed('settings', 'safe'), passed('secret', 'strong')];
  return fine.flatMap((pass) => {
    const failed = failures.filter(({ check }) => check === pass.check);
    return failed.length > 0 ? failed : [pass];
  });
}

/** Variables that would be ignored silently, and system limits. */
function checkEnvironment(): Check[] {
  return [...unknownVariables(), openFileProblem() ?? []].flat().map(environmentWarning);
}

function environmentWarning(problem: string): Check {
  const { message, remedy = '' } = splitRemedy(problem);
  return warned('environment', message, remedy);
}

function failedSetting(problem: string): Check {
  const { message, remedy = 'See: innkeeper serve --help' } = splitRemedy(problem);
  return failed(problem.startsWith('INNKEEPER_SECRET ') ? 'secret' : 'settings', message, remedy);
}
