import type { Command } from 'commander';
import { readConfig, unsafeSettings } from '../config.ts';
import { ALL_SETTINGS, type CommandOptions, defineCommand } from './command.ts';
import { Failure } from './failure.ts';

export function serve(): Command {
  return defineCommand({
    name: 'serve',
    description: 'run the service; refuses to start on an unsafe configuration',
    settings: ALL_SETTINGS,
    examples: [
      ['serve', 'on http://127.0.0.1:8080, with SQLite in ./data'],
      [
        'serve --host 0.0.0.0 --public-url https://users.example.com',
        'with INNKEEPER_DATABASE_URL=postgres://… and INNKEEPER_SECRET set: production, TLS ending at a proxy in front',
      ],
      ['serve --serve options --port 8081', 'the profile options alone, for an address of their own'],
      ['serve --demo', 'to try it out: what `npm start` runs'],
    ],
  })
    .option(
      '--demo',
      'for trying it out: makes a demo application on the first start, and unsafe settings are no obstacle',
    )
    .action(start);
}

async function start(options: CommandOptions & { demo?: true }): Promise<void> {
  const demo = options.demo === true;
  // Someone is reading the terminal: what they asked for should not drown in request logs.
  const config = readConfig(options, demo ? { defaults: { logLevel: 'warn' } } : {});
  const unsafe = demo ? [] : unsafeSettings(config);
  if (unsafe.length > 0) throw new Failure('refusing to start on an unsafe configuration:', { problems: unsafe });
  // The front door and all routes: loaded for this command alone.
  const { run } = await import('../run.ts');
  process.exitCode = await run(config, { demo });
}
