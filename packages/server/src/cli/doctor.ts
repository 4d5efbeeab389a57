import { styleText } from 'node:util';
import type { Command } from 'commander';
import { ALL_SETTINGS, type CommandOptions, defineCommand } from './command.ts';
import type { Check } from './doctor/check.ts';
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
  const { examine } = await import('./doctor/examine.ts');
  const checks = await examine(options);
  const failures = checks.filter((check) => !check.ok).length;
  printResult(options, checks, () => {
    const warnings = checks.filter(isWarning).length;
    const fine = warnings === 0 ? 'All is well.' : `Nothing failed; ${counted(warnings, 'warning')}.`;
    const summary = failures === 0 ? fine : `${failures} of ${counted(checks.length, 'check')} failed.`;
    return `${layOut(checks.flatMap(showCheck), { gap: 2 })}\n\n${summary}`;
  });
  process.exitCode = failures === 0 ? 0 : 1;
  // A database that never answered may hold the process open.
  process.stdout.write('', () => process.exit());
}

function isWarning({ ok, wayOut }: Check): boolean {
  return ok && wayOut !== null;
}

function showCheck(each: Check): string[][] {
  const { check, ok, detail, wayOut } = each;
  const mark = isWarning(each) ? styleText('yellow', '!') : ok ? styleText('green', '✓') : styleText('red', '✗');
  return [[mark, check, detail], ...(wayOut ? [['', '', `${dim('→')} ${wayOut}`]] : [])];
}
