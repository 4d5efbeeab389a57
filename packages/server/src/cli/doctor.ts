import { styleText } from 'node:util';
import type { Command } from 'commander';
import { ALL_SETTINGS } from '../service-settings.ts';
import { type CommandOptions, defineCommand } from './command.ts';
import type { Check } from './doctor/check.ts';
import { counted, dim, layOut, printResult } from './output.ts';
import { Progress } from './terminal.ts';

export function doctor(): Command {
  return defineCommand({
    name: 'doctor',
    description:
      'check settings, secret, database, data, disk or connections, clock, token service, mail, OpenID provider, certificate and port, with a suggested fix for each failure',
    settings: ALL_SETTINGS,
    examples: [
      ['doctor', 'a checklist; exit code 1 when something fails'],
      ['doctor --deep', 'also compare indexes with their tables and users with their profiles'],
      ['doctor --json', '[{"check","ok","detail","remedy"}, …]'],
      ['doctor --database-url postgres://innkeeper@db.example.com/innkeeper', 'check another database'],
    ],
  })
    .option('--deep', 'check every index and every user too; takes about 10 seconds per million users on SQLite')
    .action(run);
}

async function run(options: CommandOptions & { deep?: true }): Promise<void> {
  const { examine } = await import('./doctor/examine.ts');
  const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
  const { deep = false, ...settings } = options;
  const checks = await examine(settings, { deep, progress });
  const failures = checks.filter((check) => !check.ok).length;
  printResult(options, checks, () => {
    const warnings = checks.filter(isWarning).length;
    const fine = warnings === 0 ? 'All checks passed.' : `No failures; ${counted(warnings, 'warning')}.`;
    const summary = failures === 0 ? fine : `${failures} of ${counted(checks.length, 'check')} failed.`;
    return `${layOut(checks.flatMap(showCheck), { gap: 2 })}\n\n${summary}`;
  });
  process.exitCode = failures === 0 ? 0 : 1;
  // A database that never responded may keep the process open.
  process.stdout.write('', () => process.exit());
}

function isWarning({ ok, remedy }: Check): boolean {
  return ok && remedy !== null;
}

function showCheck(each: Check): string[][] {
  const { check, ok, detail, remedy } = each;
  const mark = isWarning(each) ? styleText('yellow', '!') : ok ? styleText('green', '✓') : styleText('red', '✗');
  return [[mark, check, detail], ...(remedy ? [['', '', `${dim('→')} ${remedy}`]] : [])];
}
