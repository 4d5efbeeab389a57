// Writes sbom.cdx.json, or the given file: every package that Innkeeper is run, built and tested with, as CycloneDX.
// The same lock file gives the same output. Not with --omit=dev: npm 11 then also omits runtime packages that
// development packages use, such as pg.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const file = process.argv[2] ?? join(root, 'sbom.cdx.json');
const { stdout } = await promisify(execFile)(
  'npm',
  ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=silent'],
  { cwd: root, maxBuffer: 64 * 1024 * 1024 },
);
const { serialNumber: _, ...bom } = JSON.parse(stdout);
const { name } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
delete bom.metadata.timestamp;
// The project's home page is not one of its components.
delete bom.metadata.component.externalReferences;
// npm uses the folder's name, which is meaningless.
bom.metadata.component.name = name;
await writeFile(file, `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${file}: ${bom.components.length} packages`);
