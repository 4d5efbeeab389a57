import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';

let folder: string;
let bin: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innkeeper-package-'));
  const assemble = join(import.meta.dirname, '../../../scripts/release/npm.js');
  execFileSync(process.execPath, [assemble, join(folder, 'package')]);
  bin = join(folder, 'package/bin/innkeeper.js');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the npm package of the service has no TypeScript, no install script and no dependency except Node', async () => {
  const names = await readdir(join(folder, 'package'), { recursive: true });
  expect(names).toContain('dist/main.js');
  expect(names.filter((name) => name.endsWith('.ts'))).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: '@innkeeper/server', engines: { node: '>=20' }, bin: expect.anything() });
  expect(manifest).toMatchObject({ repository: expect.anything(), homepage: expect.anything() });
  for (const member of ['private', 'scripts', 'dependencies', 'devDependencies'])
    expect(manifest).not.toHaveProperty(member);
  expect(Object.keys(manifest.optionalDependencies).every((name) => name.startsWith('node-'))).toBe(true);
});

test('it serves the portal, the guide and the explorer from an empty folder outside the repository', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const port = await freePort();
  const env = { INNKEEPER_PORT: String(port) };
  const service = spawn(process.execPath, [bin, 'serve'], { cwd: empty, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(service, 'exit');
  try {
    await once(service.stdout, 'data');
    for (const path of ['/portal', '/guide/', '/docs', '/docs/swagger-ui.css', '/openapi.json']) {
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`);
      expect({ path, status }).toEqual({ path, status: 200 });
    }
    expect(execFileSync(process.execPath, [bin, 'health'], { cwd: empty, env, encoding: 'utf8' })).toBe('Ready.\n');
  } finally {
    service.kill();
  }
  expect(await exited).toEqual([0, null]);
  expect(() => execFileSync(process.execPath, [bin, 'health'], { cwd: empty, env, stdio: 'pipe' })).toThrow(
    'does not respond',
  );
});
