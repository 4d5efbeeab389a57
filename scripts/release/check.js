// Installs every form of a release in an empty folder, starts it with an empty environment and runs the example flow;
// then builds the release again and compares the checksums. As root on Linux, the Debian package is installed into a
// copy of the system, and the image runs in a chroot.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findPinnedNode } from '../../packages/server/bin/runtime.js';
import { DEBIAN_ARCH } from './debian.js';
import { CATALOG, runFlow } from './flow.js';
import { VERSION } from './sources.js';

const isRoot = process.platform === 'linux' && process.getuid() === 0;

/**
 * @param {string} release
 * @param {(folder: string) => Promise<void>} makeRelease
 */
export async function checkRelease(release, makeRelease) {
  let failed = 0;
  const check = async (what, work) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-check-'));
    const started = performance.now();
    try {
      const note = (await work(folder)) ?? '';
      console.log(`✓ ${what} (${((performance.now() - started) / 1000).toFixed(1)} s) ${note}`);
    } catch (error) {
      failed++;
      console.log(`✗ ${what}\n${error.stack}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const file = (pattern) => join(release, pattern);

  await check(
    'SHA256SUMS',
    () => void execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: release }),
  );
  const executable = file(`innkeeper-${VERSION}-${process.platform}-${process.arch}`);
  await check('executable', (folder) => tryForm(folder, (args) => [executable, args]));
  await check('executable with INNKEEPER_WORKERS=2', (folder) =>
    tryForm(folder, (args) => [executable, args], { INNKEEPER_WORKERS: '2' }),
  );
  for (const node of nodes()) await check(`npm tarball, ${node.version}`, (folder) => tryNpm(folder, release, node));
  const deb = file(`innkeeper_${VERSION}_${DEBIAN_ARCH}.deb`);
  if (existsSync(deb)) await check('Debian package', (folder) => tryDebian(folder, deb));
  if (existsSync(deb) && existsSync('/usr/bin/lintian')) {
    const flags = ['--fail-on', 'error', ...(isRoot ? ['--allow-root'] : [])];
    await check('Debian package, by lintian', () => void execFileSync('lintian', [...flags, deb]));
  }
  if (existsSync(file('oci')) && isRoot) await check('OCI image', (folder) => tryImage(folder, file('oci')));
  await check('a second build has the same checksums', async (folder) => {
    await makeRelease(join(folder, 'again'));
    const again = readFileSync(join(folder, 'again/SHA256SUMS'), 'utf8');
    assert.equal(again, readFileSync(file('SHA256SUMS'), 'utf8'));
  });
  return failed === 0;
}

/**
 * @param {string} folder empty
 * @param {(args: string[]) => [string, string[]]} command how to run `innkeeper` with these arguments
 * @param {Record<string, string>} [env] the whole environment, except for the port
 */
async function tryForm(folder, command, env = {}) {
  const port = await freePort();
  const run = (args) => execFileSync(...command(args), { cwd: folder, env, encoding: 'utf8' });
  assert.equal(run(['--version']).trim(), VERSION);
  const application = JSON.parse(run(['app', 'create', '--name', 'Check', '--json']));
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const [file, args] = command(['serve']);
  const service = spawn(file, args, {
    cwd: folder,
    env: { ...env, INNKEEPER_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(service, 'exit');
  try {
    await untilReady(url, service);
    const ready = Math.round(performance.now() - started);
    applyCatalog(command, { folder, env, application });
    await runFlow(url, application);
    assert.match(
      execFileSync(...command(['health']), {
        cwd: folder,
        env: { ...env, INNKEEPER_PORT: String(port) },
        encoding: 'utf8',
      }),
      /Ready/,
    );
    service.kill('SIGTERM');
    const [code] = await exited;
    assert.equal(code, 0);
    return `ready in ${ready} ms`;
  } finally {
    service.kill('SIGKILL');
  }
}

/** Through standard input: a form in a chroot sees no file of this folder. */
function applyCatalog(command, { folder, env, application }) {
  const [file, args] = command(['catalog', 'apply', '-', '--app', application.clientId, '--json']);
  const outcome = execFileSync(file, args, { cwd: folder, env, encoding: 'utf8', input: CATALOG });
  assert.equal(JSON.parse(outcome).revision, 1);
}

async function untilReady(url, service) {
  const until = Date.now() + 20_000;
  while (Date.now() < until && service.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(service.exitCode === null ? 'not ready within 20 s' : `ended with ${service.exitCode}`);
}

/** Offline: the Node that npm would download is put where npm would install it. */
async function tryNpm(folder, release, node) {
  const env = { PATH: [dirname(node.path), '/usr/bin', '/bin'].join(delimiter), HOME: folder };
  writeFileSync(join(folder, 'package.json'), '{"name":"check","private":true}');
  const tarballs = ['server', 'client', 'testing'].map((name) => join(release, `innkeeper-${name}-${VERSION}.tgz`));
  const flags = ['--offline', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...tarballs.filter((path) => existsSync(path))], {
    cwd: folder,
    env,
    stdio: 'pipe',
  });
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@innkeeper/server/package.json'), 'utf8'));
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.dependencies, undefined);
  assert.ok(manifest.repository && manifest.homepage && manifest.engines && manifest.keywords);
  const [[name]] = Object.entries(manifest.optionalDependencies).filter(([each]) =>
    each.includes(`${process.platform.replace('32', '')}-${process.arch}`),
  );
  symlinkSync(dirname(dirname(findPinnedNode())), join(folder, 'node_modules', name));
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  return tryForm(empty, (args) => [join(folder, 'node_modules/.bin/innkeeper'), args], env);
}

/** The machine's own Node, if there is one, besides the pinned one: the tarball must work with both. */
function nodes() {
  const folders = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const found = [process.execPath, ...folders.filter((path) => existsSync(path))].map((path) => ({
    path,
    version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
  }));
  return [...new Map(found.map((each) => [each.version, each])).values()];
}

async function tryDebian(folder, deb) {
  const unpacked = join(folder, 'unpacked');
  execFileSync('dpkg-deb', ['--extract', deb, unpacked]);
  const unit = join(unpacked, 'usr/lib/systemd/system/innkeeper.service');
  const note = checkUnit(folder, unit, join(unpacked, 'usr/bin/innkeeper'));
  if (!isRoot) return tryForm(join(folder), (args) => [join(unpacked, 'usr/bin/innkeeper'), args]);
  // Really installed, in a copy of this system that only this process sees.
  const script = `set -e
mkdir -p up work root
mount -t tmpfs tmpfs up && mkdir up/up up/work
mount -t overlay overlay -o lowerdir=/,upperdir=up/up,workdir=up/work root
mount --bind /dev root/dev && mount -t proc proc root/proc && mount -t tmpfs tmpfs root/tmp
cp ${deb} root/tmp/innkeeper.deb
chroot root dpkg -i --force-depends /tmp/innkeeper.deb > /dev/null
chroot root stat -c '%a %U' /etc/innkeeper/innkeeper.env /var/lib/innkeeper
chroot root /usr/sbin/innkeeper-admin app create --name Check --json
chroot root stat -c '%U' /var/lib/innkeeper/innkeeper.db
chroot root dpkg -i --force-depends /tmp/innkeeper.deb > /dev/null
chroot root /usr/sbin/innkeeper-admin app list --json
printf '#!/bin/sh\necho "$*" >> /tmp/systemctl\n' > root/usr/local/bin/systemctl && chmod 755 root/usr/local/bin/systemctl
mkdir -p root/run/systemd/system
chroot root dpkg --remove innkeeper > /dev/null
chroot root dpkg -i --force-depends /tmp/innkeeper.deb > /dev/null
grep able root/tmp/systemctl | tr '\n' ';' && echo
chroot root dpkg --purge innkeeper > /dev/null
chroot root sh -c 'test ! -e /var/lib/innkeeper && test ! -e /etc/innkeeper && ! getent passwd innkeeper'
echo purged`;
  const output = execFileSync('unshare', ['--mount', 'sh', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [env, state, application, owner, applications, enabled, purged] = output.trim().split('\n');
  assert.deepEqual([env, state, owner, purged], ['600 root', '700 innkeeper', 'innkeeper', 'purged']);
  assert.equal(JSON.parse(applications)[0].clientId, JSON.parse(application).clientId);
  const unitName = 'innkeeper.service';
  assert.equal(
    enabled,
    `is-enabled --quiet ${unitName};disable --now ${unitName};enable --now ${unitName};`,
    'removed and installed again, the service runs again',
  );
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  return `${await tryForm(empty, (args) => [join(unpacked, 'usr/bin/innkeeper'), args])}; ${note}`;
}

/** systemd looks for the executable where the unit says. */
function checkUnit(folder, unit, executable) {
  if (!existsSync('/usr/bin/systemd-analyze')) return 'systemd-analyze is not installed';
  const copy = join(folder, 'innkeeper.service');
  writeFileSync(
    copy,
    readFileSync(unit, 'utf8')
      .replace('/usr/bin/innkeeper', executable)
      .replace(/^Documentation=.*\n/m, ''),
  );
  execFileSync('systemd-analyze', ['verify', '--man=no', copy], { stdio: 'pipe' });
  const report = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', '--threshold=25', copy], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return report.trim().split('\n').at(-1).replace(/^\W+/, '');
}

/** Its layer as the root of a chroot, with the image's own environment and user. */
async function tryImage(folder, layout) {
  const blob = ({ digest }) => join(layout, 'blobs', digest.replace(':', '/'));
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const { manifests } = read(join(layout, 'index.json'));
  const manifest = read(blob(manifests[0]));
  const { config } = read(blob(manifest.config));
  const root = join(folder, 'root');
  mkdirSync(root);
  for (const layer of manifest.layers)
    execFileSync('tar', ['--extract', '--gzip', '--file', blob(layer), '--directory', root]);
  mkdirSync(join(root, 'dev'));
  for (const name of ['null', 'urandom']) cpDevice(name, join(root, 'dev'));
  const env = Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s, 2)));
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  const command = (args) => [
    'chroot',
    [`--userspec=${config.User}`, root, `/usr/bin/${config.Entrypoint[0]}`, ...args],
  ];
  // A container listens on every interface, behind a proxy with TLS.
  const settings = { ...env, INNKEEPER_PUBLIC_URL: 'https://users.example.com', PATH: process.env.PATH };
  return `${await tryForm(folder, command, settings)}; ${(bytes / 1e6).toFixed(1)} MB compressed`;
}

function cpDevice(name, folder) {
  execFileSync('cp', ['--archive', `/dev/${name}`, folder]);
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
