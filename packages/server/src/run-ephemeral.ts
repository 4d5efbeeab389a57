import { readConfig } from './config.ts';
import { ephemeralFolder } from './ephemeral.ts';
import { run } from './run.ts';
import type { Settings } from './service-settings.ts';

/** `innkeeper serve --ephemeral`: runs until a signal stops it. */
export async function runEphemeral(settings: Settings): Promise<void> {
  using folder = ephemeralFolder();
  const flags = { ...settings, databaseUrl: folder.databaseUrl, workers: '1' };
  const config = readConfig(flags, { defaults: { port: '0', logLevel: 'warn' } });
  process.exitCode = await run(config, { demo: true, ephemeral: true });
}
