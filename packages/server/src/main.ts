import type { Command } from 'commander';
import { defineGroup, HelpShown } from './cli/command.ts';
import { Failure, fileProblem } from './cli/failure.ts';
import { bold, printFailure } from './cli/output.ts';
import { version } from './package.ts';

const ENDINGS = `
${bold('Settings')} come from flags or environment variables. Pass secrets in the environment: other users of the machine
can see the flags of a running command.

${bold('Remote:')} with INNKEEPER_URL and INNKEEPER_TOKEN (or --url, --token), app, catalog, users, webhook and token manage
a remote service over HTTP, without its database or secret.

${bold('Output:')} results go to stdout, errors to stderr, with --json as {"error":{"message","problems","remedy"}}.
${bold('Exit codes:')} 0 success, 1 failure, 2 usage error (invalid argument, flag or setting). \`catalog plan\` has its own.`;

/** In the order of the help. Only the command that runs is loaded; the help loads all of them. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./cli/serve.ts')).serve()],
  ['migrate', async () => (await import('./cli/migrate.ts')).migrate()],
  ['health', async () => (await import('./cli/health.ts')).health()],
  ['doctor', async () => (await import('./cli/doctor.ts')).doctor()],
  ['backup', async () => (await import('./cli/backup.ts')).backup()],
  ['restore', async () => (await import('./cli/restore.ts')).restore()],
  ['secret', async () => (await import('./cli/secret.ts')).secret()],
  ['scrub', async () => (await import('./cli/scrub.ts')).scrub()],
  ['app', async () => (await import('./cli/app.ts')).app()],
  ['catalog', async () => (await import('./cli/catalog.ts')).catalog()],
  ['users', async () => (await import('./cli/users.ts')).users()],
  ['webhook', async () => (await import('./cli/webhook.ts')).webhook()],
  ['token', async () => (await import('./cli/token.ts')).token()],
  ['admin', async () => (await import('./cli/admin.ts')).admin()],
]);

const called = COMMANDS.get(process.argv[2] ?? '');
const program = defineGroup({
  name: 'innkeeper',
  description: 'Innkeeper: users, option catalogs and selections as a service.',
  examples: [
    ['serve', 'run the service'],
    ['app create --name "Acme web"', 'create an application, whether the service runs or not'],
    ['doctor', 'find out why something does not work'],
  ],
  commands: await Promise.all((called ? [called] : [...COMMANDS.values()]).map((load) => load())),
})
  .version(version, '--version', 'print the version')
  .addHelpText('after', ENDINGS);

// The reader may close the pipe early (`innkeeper app list | head -1`): that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  const failure = new Failure(`the output could not be written: ${fileProblem(error) ?? error.message}.`, {
    remedy: 'If the command changes something, it has done so: look at the result before you run it again.',
  });
  printFailure(process.argv.includes('--json'), failure);
  process.exit(failure.exitCode);
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
