// npm run release [-- --check]
//
// Builds everything that a release contains into release/, for the current platform. The same commit gives the same
// bytes, and nothing is downloaded. --check then starts each artifact in an empty folder (scripts/release/check.js).

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDebianPackage } from './release/debian.js';
import { buildExecutable } from './release/executable.js';
import { packAll, serverManifest } from './release/npm.js';
import { buildImage } from './release/oci.js';
import { ROOT, VERSION } from './release/sources.js';

const RELEASE = join(ROOT, 'release');

if (import.meta.main) {
  await makeRelease(RELEASE);
  if (process.argv.includes('--check')) {
    const { checkRelease } = await import('./release/check.js');
    process.exitCode = (await checkRelease(RELEASE, makeRelease)) ? 0 : 1;
  }
}

/** @param {string} folder */
async function makeRelease(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'inherit' });
  const work = mkdtempSync(join(tmpdir(), 'innkeeper-release-'));
  const time = sourceTime();
  try {
    const manifest = join(work, 'package.json');
    writeFileSync(manifest, serverManifest());
    const executable = join(
      folder,
      `innkeeper-${VERSION}-${platform()}-${arch()}${platform() === 'win32' ? '.exe' : ''}`,
    );
    await buildExecutable(executable, join(work, 'sea'), manifest);
    await packAll(folder, work);
    if (platform() === 'linux') {
      if (hasCommand('dpkg-deb')) buildDebianPackage({ executable, folder, work, time });
      else console.warn('No Debian package: dpkg-deb is not installed.');
      buildImage({ executable, folder: join(folder, 'oci'), time });
    }
    execFileSync(process.execPath, [join(ROOT, 'scripts/sbom.js'), join(folder, 'sbom.cdx.json')], { stdio: 'ignore' });
    writeFileSync(join(folder, 'CHANGELOG.md'), changelogSection());
    const files = filesOf(folder);
    const sums = files.map((name) => `${sha256(join(folder, name))}  ${name}\n`);
    writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
    for (const name of files) console.log(`${megabytes(join(folder, name)).padStart(8)}  ${name}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Of the last commit, unless SOURCE_DATE_EPOCH overrides it. */
function sourceTime() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given) return Number(given);
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }));
}

/** What changed in this version, for the release page. */
function changelogSection() {
  const whole = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [section] = whole.split(/^## /m).filter((part) => part.startsWith(`[${VERSION}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${VERSION}]`);
  return `## ${section.trim()}\n`;
}

function filesOf(folder) {
  return globSync('**/*', { cwd: folder })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

function hasCommand(name) {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function megabytes(path) {
  return `${(statSync(path).size / 1e6).toFixed(1)} MB`;
}
