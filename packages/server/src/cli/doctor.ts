import { styleText } from 'node:util';
import type { Command } from 'commander';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { ALL_SETTINGS, type CommandOptions, defineCommand } from './command.ts';
import { type Check, failed } from './doctor/check.ts';
import { checkDatabase } from './doctor/database.ts';
import { checkPort } from './doctor/port.ts';
import { checkSettings, splitWayOut } from './doctor/settings.ts';
import { checkTokenService } from './doctor/token-service.ts';
import { dim, printResult } from './print.ts';
import { layOut } from './table.ts';
import { counted } from './time.ts';

export function doctor(): Command {
  return defineCommand({
    name: 'doctor',
    description:
      'check database, migrations, clock, secret, token service and port; each failure comes with its way out',
    settings: ALL_SETTINGS,
    examples: [
      ['doctor', 'a checklist; exit code 1 when something fails'],
      ['doctor --json', '[{"check","ok","detail","wayOut"}, …]'],
      ['doctor --database-url postgres://innkeeper@db.example.com/innkeeper', 'look at another database'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const checks = await examine(options);
  const failures = checks.filter((check) => !check.ok).length;
  printResult(options, checks, () => {
    const summary = failures === 0 ? 'All is well.' : `${counted(failures, 'check')} of ${checks.length} failed.`;
    return `${layOut(checks.flatMap(showCheck), { gap: 2 })}\n\n${summary}`;
  });
  process.exitCode = failures === 0 ? 0 : 1;
  // A database that never answered may hold the process open.
  process.stdout.write('', () => process.exit());
}

async function examine(options: CommandOptions): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => {
      const { detail, wayOut } = splitWayOut(problem);
      return failed('settings', detail, wayOut);
    });
  }
  const [database, tokenService, port] = await Promise.all([
    checkDatabase(config),
    checkTokenService(config),
    checkPort(config),
  ]);
  return [...checkSettings(config), ...database, tokenService, port];
}

function showCheck({ check, ok, detail, wayOut }: Check): string[][] {
  const mark = ok ? styleText('green', '✓') : styleText('red', '✗');
  return [[mark, check, detail], ...(wayOut ? [['', '', `${dim('→')} ${wayOut}`]] : [])];
}
