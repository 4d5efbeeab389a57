import { expect, test } from 'vitest';
import { asTyped } from '../../src/cli/output.ts';
import { commandName } from '../../src/config.ts';
import { SETTING_NAMES } from '../../src/domain/applications/settings.ts';
import { ALL_SETTINGS, environmentName, flagName, SETTINGS } from '../../src/service-settings.ts';
import { inThread } from './in-thread.ts';
import { runInnkeeper } from './run-innkeeper.ts';

const COMMANDS = [
  'serve',
  'migrate',
  'doctor',
  'backup',
  'restore',
  'app create',
  'app list',
  'app show',
  'app set',
  'app delete',
  'app rotate-secret',
  'users import',
  'users export',
  'users show',
  'users suspend',
  'users resume',
  'users delete',
  ...['create', 'list', 'show', 'set', 'delete', 'rotate-secret', 'test', 'deliveries', 'resend'].map(
    (name) => `webhook ${name}`,
  ),
  'token create',
  'token list',
  'token revoke',
  'admin create',
  'admin list',
  'admin delete',
];

const shown = new Map<string, Promise<string>>();

function help(command: string): Promise<string> {
  const text = shown.get(command) ?? askForHelp(command);
  shown.set(command, text);
  return text;
}

async function askForHelp(command: string): Promise<string> {
  const { code, stdout, stderr } = await inThread([...command.split(' ').filter(Boolean), '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

test.concurrent.each(COMMANDS)('innkeeper %s --help has --json, its settings and examples', async (command) => {
  const text = await help(command);
  expect(text).toContain('--json');
  expect(text).toContain('--database-url <value>');
  expect(text).toContain('INNKEEPER_SECRET');
  expect(text).toContain(`$ innkeeper ${command}`);
});

test('the general help lists every command and the exit codes', async () => {
  const [whole, version] = await Promise.all([help(''), runInnkeeper(['--version'])]);
  for (const command of COMMANDS) {
    const [name, ofGroup] = command.split(' ');
    const text = ofGroup === undefined ? whole : await help(name ?? '');
    expect(text).toMatch(new RegExp(`^ {2}${ofGroup ?? name} `, 'm'));
  }
  expect(whole).toContain('0 success, 1 failure, 2 usage error');
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('serve accepts every setting as a flag and shows its environment name and default', async () => {
  const text = (await help('serve')).replace(/\s+/g, ' ');
  for (const name of ALL_SETTINGS) {
    expect(text).toContain(`${flagName(name)} <value>`);
    expect(text).toContain(
      `(${environmentName(name)}${SETTINGS[name].default && `, default ${SETTINGS[name].default}`})`,
    );
  }
});

test('app rotate-secret --help says how long the previous secret stays valid', async () => {
  expect(await help('app rotate-secret')).toContain('(default: 24h)');
});

test('app set --help explains every key', async () => {
  const text = await help('app set');
  for (const name of SETTING_NAMES) expect(text).toMatch(new RegExp(`^ {2}${name} +\\w.*default: `, 'm'));
});

test('npx innkeeper, another package outside a clone, is suggested only in a clone', () => {
  expect(commandName({ npm_lifecycle_event: 'start' })).toBe('npx innkeeper');
  expect(commandName({ npm_lifecycle_event: 'npx' })).toBe('npx innkeeper');
  expect(commandName({ npm_lifecycle_event: 'npx' }, true)).toBe('npx @innkeeper/server');
  expect(commandName({ npm_config_user_agent: 'pnpm/12.18.0 npm/? node/?' }, true)).toBe('pnpm exec innkeeper');
  expect(commandName({})).toBe('innkeeper');
  const advice = 'Run: innkeeper migrate (`innkeeper serve` also does this). innkeeper: the innkeeper has no rooms.';
  expect(asTyped(advice, 'npx @innkeeper/server')).toBe(
    'Run: npx @innkeeper/server migrate (`npx @innkeeper/server serve` also does this). innkeeper: the innkeeper has no rooms.',
  );
  expect(asTyped('npx innkeeper migrate', 'npx innkeeper')).toBe('npx innkeeper migrate');
});
