import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { idleVariables, readConfig, readRemote, unknownVariables } from '../src/config.ts';
import { ALL_SETTINGS, environmentName, SETTINGS } from '../src/service-settings.ts';
import { SECRET } from './http/start.ts';

const folder = mkdtempSync(join(tmpdir(), 'innkeeper-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (content: string): string => {
  const path = join(folder, String(Math.random()));
  writeFileSync(path, content);
  return path;
};

test('every secret can be read from a file, without a final newline', () => {
  const env = {
    INNKEEPER_DATABASE_URL_FILE: file('postgres://u:p@db/innkeeper\n'),
    INNKEEPER_SECRET_FILE: file(`${SECRET}\r\n`),
    INNKEEPER_SECRET_PREVIOUS_FILE: file('the one before\n'),
    INNKEEPER_TOKEN_SERVICE_URL: 'https://tokens.example.com',
    INNKEEPER_TOKEN_SERVICE_CLIENT_ID: 'innkeeper',
    INNKEEPER_TOKEN_SERVICE_CLIENT_SECRET_FILE: file('client secret'),
    INNKEEPER_METRICS_TOKEN_FILE: file('metrics token'),
  };
  expect(readConfig({}, { env })).toMatchObject({
    databaseUrl: 'postgres://u:p@db/innkeeper',
    secret: SECRET,
    secretPrevious: 'the one before',
    tokenService: { clientSecret: 'client secret' },
    metricsToken: 'metrics token',
  });
  expect([...unknownVariables(env), ...idleVariables(readConfig({}, { env }), env)]).toEqual([]);
});

test('settings of a service whose URL is not set are pointed out', () => {
  const env = {
    INNKEEPER_TOKEN_SERVICE_URL: '',
    INNKEEPER_TOKEN_SERVICE_CLIENT_ID: 'innkeeper',
    INNKEEPER_OIDC_CLIENT_SECRET_FILE: file('client secret'),
    INNKEEPER_OIDC_SCOPE: '',
  };
  expect(idleVariables(readConfig({}, { env }), env)).toEqual([
    'INNKEEPER_TOKEN_SERVICE_CLIENT_ID has no effect without INNKEEPER_TOKEN_SERVICE_URL. Set both, or neither.',
    'INNKEEPER_OIDC_CLIENT_SECRET_FILE has no effect without INNKEEPER_OIDC_ISSUER. Set both, or neither.',
  ]);
  const flags = { tokenServiceUrl: 'https://tokens.example.com' };
  expect(idleVariables(readConfig(flags, { env }), env)).toHaveLength(1);
});

test('settings that sound like secrets are marked as secrets', () => {
  const named = ALL_SETTINGS.filter((name) => /secret|token$|password$/i.test(name));
  expect(named.filter((name) => !('secret' in SETTINGS[name]))).toEqual([]);
});

test('both given, a missing file and an empty one are rejected by name', () => {
  const problems = (env: Record<string, string>): string => {
    try {
      readConfig({}, { env, needsSecret: false });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const [variable, other] = [environmentName('secret'), environmentName('metricsToken')];
  expect(problems({ [variable]: SECRET, [`${variable}_FILE`]: file(SECRET) })).toContain(
    'INNKEEPER_SECRET and INNKEEPER_SECRET_FILE are both set',
  );
  expect(problems({ [`${other}_FILE`]: '/nowhere' })).toContain('INNKEEPER_METRICS_TOKEN_FILE is /nowhere');
  expect(problems({ [`${other}_FILE`]: file('\n') })).toContain('the file is empty');
});

test('a remote service requires its https address and a token', () => {
  const url = 'https://users.example.com';
  expect(readRemote({}, {})).toBeUndefined();
  expect(readRemote({}, { INNKEEPER_URL: `${url}/`, INNKEEPER_TOKEN_FILE: file('ikp_x\n') })).toEqual({
    url,
    token: 'ikp_x',
  });
  expect(readRemote({ url, token: 'flag' }, { INNKEEPER_TOKEN: 'environment' })).toEqual({ url, token: 'flag' });
  for (const env of [{ INNKEEPER_URL: url }, { INNKEEPER_URL: 'http://users.example.com', INNKEEPER_TOKEN: 'x' }])
    expect(() => readRemote({}, env)).toThrow('INNKEEPER_URL');
});
