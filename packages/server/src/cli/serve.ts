import cluster from 'node:cluster';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ALL_SETTINGS } from '../service-settings.ts';
import { unsafeSettings } from '../unsafe-settings.ts';
import { type CommandOptions, defineCommand } from './command.ts';
import { Failure } from './failure.ts';
import { makeDatabase } from './new-database.ts';

export function serve(): Command {
  return defineCommand({
    name: 'serve',
    description: 'run the service; unsafe settings are rejected',
    settings: ALL_SETTINGS,
    examples: [
      ['serve', 'on http://127.0.0.1:8080, with SQLite in ./data'],
      [
        'serve --host 0.0.0.0 --public-url https://users.example.com',
        'with INNKEEPER_DATABASE_URL=postgres://… and INNKEEPER_SECRET set: production, behind a proxy that terminates TLS',
      ],
      ['serve --serve options --port 8081', 'only the options API, on its own address'],
      ['serve --new', 'once, after losing the database: start with an empty one and the existing secret'],
      ['serve --demo', 'try it out, as `npm start` does'],
      ['serve --ephemeral', 'for tests: a demo that keeps nothing, on any free port'],
    ],
  })
    .option('--demo', 'create a demo application on the first start and allow unsafe settings')
    .option('--ephemeral', 'for tests: keep nothing; any free port unless one is given, one process')
    .option('--new', 'create a new database even if the secret, log or backup of an earlier one exists')
    .action(start);
}

async function start(options: CommandOptions & { demo?: true; new?: true; ephemeral?: true }): Promise<void> {
  if (options.ephemeral) return (await import('../run.ts')).runEphemeral(options);
  const demo = options.demo === true;
  // Someone is reading the terminal: the output they want must not drown in request logs.
  const defaults = demo ? { logLevel: 'warn' } : {};
  const draft = readConfig(options, { defaults, needsSecret: false });
  const unsafe = demo ? [] : unsafeSettings(draft);
  if (unsafe.length > 0) throw new Failure('unsafe settings:', { problems: unsafe });
  // A restarted worker finds the database of the first one, or nothing that may be replaced.
  const isNew = await makeDatabase(draft, { anyway: options.new === true && cluster.isPrimary });
  const config = readConfig(options, { defaults });
  // The front door and all routes, loaded only for this command.
  const { run } = await import('../run.ts');
  process.exitCode = await run(config, { demo, isNew });
}
