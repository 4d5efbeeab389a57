import { type Config, ConfigError, readConfig } from '../../config.ts';
import type { Settings } from '../../service-settings.ts';
import { Failure } from '../failure.ts';
import { refuseLostDatabase } from '../new-database.ts';
import { refuseMissingDatabase } from '../with-storage.ts';
import { checkCertificate } from './certificate.ts';
import { type Check, failed } from './check.ts';
import type { DoctorOptions } from './data.ts';
import { checkDatabase } from './database.ts';
import { checkMail } from './mail.ts';
import { checkOidc } from './oidc.ts';
import { checkPort } from './port.ts';
import { checkEnvironment, checkSettings, failedSetting } from './settings.ts';
import { checkTokenService } from './token-service.ts';

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
    if (error instanceof Failure) return [failed('database', error.message, error.wayOut ?? '')];
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
