// The Debian package: the executable, a systemd unit, a system user and a man page.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ROOT, VERSION } from './sources.js';

const FROM = join(ROOT, 'deploy/debian');
export const DEBIAN_ARCH = { x64: 'amd64', arm64: 'arm64' }[arch()];

/**
 * @param {{ executable: string, folder: string, work: string, time: number }} what `time` in seconds
 * @returns {string} its file name
 */
export function buildDebianPackage({ executable, folder, work, time }) {
  const root = join(work, 'deb');
  const put = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  const source = (name) => readFileSync(join(FROM, name), 'utf8');
  const zipped = (text) => gzipSync(text, { level: 9 });
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  copyFileSync(executable, join(root, 'usr/bin/innkeeper'));
  chmodSync(join(root, 'usr/bin/innkeeper'), 0o755);
  put('usr/sbin/innkeeper-admin', source('innkeeper-admin'), 0o755);
  put('usr/lib/systemd/system/innkeeper.service', source('innkeeper.service'));
  put('etc/innkeeper/innkeeper.env', source('innkeeper.env'), 0o600);
  put('usr/share/man/man1/innkeeper.1.gz', zipped(source('innkeeper.1').replace('@VERSION@', VERSION)));
  put('usr/share/man/man8/innkeeper-admin.8.gz', zipped('.so man1/innkeeper.1\n'));
  put('usr/share/doc/innkeeper/copyright', readFileSync(join(ROOT, 'LICENSE')));
  put('usr/share/doc/innkeeper/NEWS.md.gz', zipped(readFileSync(join(ROOT, 'CHANGELOG.md'))));
  put('usr/share/doc/innkeeper/changelog.gz', zipped(changelog(time)));
  put('usr/share/lintian/overrides/innkeeper', source('lintian-overrides'));
  put('DEBIAN/conffiles', '/etc/innkeeper/innkeeper.env\n');
  for (const name of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${name}`, source(name), 0o755);
  const all = () => globSync('**/*', { cwd: root }).map((name) => join(root, name));
  const kilobytes = all().reduce((sum, path) => sum + Math.ceil(lstatSync(path).size / 1024), 0);
  put('DEBIAN/control', control(kilobytes));
  for (const path of [root, ...all()]) {
    const isFolder = lstatSync(path).isDirectory();
    if (isFolder) chmodSync(path, 0o755);
    utimesSync(path, time, time);
  }
  const name = `innkeeper_${VERSION}_${DEBIAN_ARCH}.deb`;
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', root, join(folder, name)], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(time) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return name;
}

const MAINTAINER = 'The Innkeeper authors <innkeeper@users.noreply.github.com>';

/** @param {number} time in seconds */
function changelog(time) {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000');
  return `innkeeper (${VERSION}) stable; urgency=medium

  * See /usr/share/doc/innkeeper/NEWS.md.gz.

 -- ${MAINTAINER}  ${date}
`;
}

function control(kilobytes) {
  return `Package: innkeeper
Version: ${VERSION}
Section: net
Priority: optional
Architecture: ${DEBIAN_ARCH}
Depends: adduser, libc6 (>= 2.28), libstdc++6 (>= 12), libgcc-s1, libatomic1
Suggests: postgresql
Installed-Size: ${kilobytes}
Maintainer: ${MAINTAINER}
Description: users, option catalogs and selections as a service
 Innkeeper creates the end users of applications, issues their access tokens,
 stores what they select from an option catalog, and deletes them with
 everything that is theirs. It stores its data in SQLite or PostgreSQL.
`;
}
