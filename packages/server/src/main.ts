import { readFileSync } from 'node:fs';
import { admin } from './cli/admin.ts';
import { app } from './cli/app.ts';
import { catalog } from './cli/catalog.ts';
import { defineGroup, HelpShown } from './cli/command.ts';
import { doctor } from './cli/doctor.ts';
import { migrate } from './cli/migrate.ts';
import { bold, printFailure } from './cli/print.ts';
import { serve } from './cli/serve.ts';
import { token } from './cli/token.ts';
import { users } from './cli/users.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const ENDINGS = `
${bold('Settings')} come from flags, or else from the environment. Give secrets by the environment: other users of the
machine can see the flags of a running command.

${bold('Output:')} a result is on stdout; errors are on stderr, with --json as {"error":{"message","problems","wayOut"}}.
${bold('Exit codes:')} 0 done, 1 failed, 2 misused (an argument, flag or setting that cannot be used); those of
\`catalog plan\` are its own.`;

const program = defineGroup({
  name: 'innkeeper',
  description: 'Innkeeper: users, option catalogs and selections as a service.',
  examples: [
    ['serve', 'run it'],
    ['app create --name "Acme web"', 'make an application, beside a running server or before it'],
    ['doctor', 'something does not work: find out what'],
  ],
})
  .version(version, '--version', 'show the version')
  .addCommand(serve())
  .addCommand(migrate())
  .addCommand(doctor())
  .addCommand(app())
  .addCommand(catalog())
  .addCommand(users())
  .addCommand(token())
  .addCommand(admin())
  .addHelpText('after', ENDINGS);

// Whoever reads the output may stop early (`innkeeper app list | head -1`): that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof HelpShown) {
    process.exitCode = error.exitCode;
  } else {
    const { explainError } = await import('./cli/explain-error.ts');
    const failure = explainError(error);
    if (!failure) throw error;
    printFailure(process.argv.includes('--json'), failure);
    process.exitCode = failure.exitCode;
  }
}
