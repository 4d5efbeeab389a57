// An OCI image without Docker: the executable, the shared libraries it is linked to, and the few files that a C library
// looks for.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DEBIAN_ARCH } from './debian.js';
import { ROOT, VERSION } from './sources.js';
import { tar } from './tar.js';

/** The unprivileged user id that other small images use. */
const USER = 65_532;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * @param {{ executable: string, folder: string, time: number }} what `folder` becomes the image layout
 * @returns {number} bytes of the compressed layer
 */
export function buildImage({ executable, folder, time }) {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  const put = (content, mediaType) => {
    const digest = sha256(content);
    writeFileSync(join(folder, 'blobs/sha256', digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: content.length };
  };
  const layer = tar(rootFiles(executable), time);
  const zipped = gzipSync(layer, { level: 6 });
  const layerEntry = put(zipped, 'application/vnd.oci.image.layer.v1.tar+gzip');
  const config = put(json(imageConfig(`sha256:${sha256(layer)}`, time)), 'application/vnd.oci.image.config.v1+json');
  const manifest = put(
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config,
      layers: [layerEntry],
    }),
    'application/vnd.oci.image.manifest.v1+json',
  );
  const annotations = {
    'org.opencontainers.image.ref.name': VERSION,
    'io.containerd.image.name': `docker.io/library/innkeeper:${VERSION}`,
  };
  const platform = { architecture: DEBIAN_ARCH, os: 'linux' };
  writeFileSync(
    join(folder, 'index.json'),
    json({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [{ ...manifest, annotations, platform }],
    }),
  );
  writeFileSync(join(folder, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  return zipped.length;
}

function rootFiles(executable) {
  const file = (path, from, mode) => ({ path, content: readFileSync(from), mode });
  const text = (path, content) => ({ path, content: Buffer.from(content) });
  const files = [
    file('usr/bin/innkeeper', executable, 0o755),
    ...librariesOf(executable).map((path) => file(path.slice(1), realpathSync(path), 0o755)),
    ...(existsSync(CERTIFICATES) ? [file(CERTIFICATES.slice(1), CERTIFICATES)] : []),
    text('etc/passwd', `root:x:0:0:root:/:/sbin/nologin\ninnkeeper:x:${USER}:${USER}:innkeeper:/data:/sbin/nologin\n`),
    text('etc/group', `root:x:0:\ninnkeeper:x:${USER}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    file('usr/share/doc/innkeeper/copyright', join(ROOT, 'LICENSE')),
  ];
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  return [
    ...files,
    ...[...folders].map((path) => ({ path: `${path}/` })),
    { path: 'tmp/', mode: 0o1777 },
    { path: 'data/', mode: 0o700, uid: USER },
  ];
}

/** The loader and each library, at the paths where the loader looks for them. */
function librariesOf(executable) {
  const listed = execFileSync('ldd', [executable], { encoding: 'utf8' });
  return [...listed.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path]) => path).sort();
}

function parentsOf(path) {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

function imageConfig(diffId, time) {
  const created = new Date(time * 1000).toISOString();
  const env = {
    PATH: '/usr/bin',
    HOME: '/data',
    INNKEEPER_HOST: '0.0.0.0',
    MALLOC_ARENA_MAX: '1',
  };
  return {
    created,
    architecture: DEBIAN_ARCH,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '8080/tcp': {} },
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      Entrypoint: ['innkeeper'],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
      // By default the database is ./data/innkeeper.db. A variable for it would rule out INNKEEPER_DATABASE_URL_FILE.
      WorkingDir: '/',
      StopSignal: 'SIGTERM',
      // Docker reads this; the OCI format does not define it.
      Healthcheck: {
        Test: ['CMD', 'innkeeper', 'health'],
        Interval: 10e9,
        Timeout: 3e9,
        StartPeriod: 60e9,
        Retries: 3,
      },
      Labels: {
        'org.opencontainers.image.title': 'innkeeper',
        'org.opencontainers.image.version': VERSION,
        'org.opencontainers.image.licenses': 'MIT',
      },
    },
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created, created_by: 'npm run release' }],
  };
}

const json = (value) => Buffer.from(JSON.stringify(value));
const sha256 = (content) => createHash('sha256').update(content).digest('hex');
