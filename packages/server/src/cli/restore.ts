import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { createKeyring } from '../domain/keyring.ts';
import { secretPath } from '../secret-file.ts';
import { BackupDamaged, type BackupFile, type BackupFiles, BackupUnwritable, type Contents } from '../storage/port.ts';
import { formatTime } from '../time.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { describeDatabase } from './database-files.ts';
import { isFromNewerVersion } from './explain-error.ts';
import { Failure, fileProblem, UsageError } from './failure.ts';
import { refuseOverLog } from './new-database.ts';
import { bold, counted, printResult, visible } from './output.ts';
import { canAsk, confirmByTyping, Progress, watchInterrupts } from './terminal.ts';

type Options = CommandOptions & { check?: true; replace?: true; yes?: true };
type SecretState = 'fits' | 'other' | 'none';

export function restore(): Command {
  return defineCommand({
    name: 'restore',
    description:
      'restore a backup into an empty SQLite or PostgreSQL database, all or nothing. A running service continues with the restored data. ' +
      'Requires the INNKEEPER_SECRET of the original installation',
    settings: STORAGE_SETTINGS,
    examples: [
      ['restore innkeeper-2026-01-31.backup --database-url sqlite:data/new.db', 'restore into a new database'],
      ['restore innkeeper-2026-01-31.backup --replace', 'delete the current data, then restore; asks for confirmation'],
      ['restore innkeeper-2026-01-31.backup --check', 'verify the file and the secret; change nothing'],
      [
        'restore innkeeper-2026-01-31.backup --json',
        '{"file","version","madeAt","source","schema","rows","replaced",…}',
      ],
    ],
  })
    .argument('<FILE>', 'created by innkeeper backup')
    .option('--check', 'verify the file; change nothing')
    .option('--replace', 'delete everything in the database first')
    .option('--yes', 'skip the confirmation; required with --replace without a terminal')
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const config = readConfig(options, { needsSecret: false });
  const { backupFiles, storageDriver } = await import('../storage/open.ts');
  const started = performance.now();
  const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
  const opened = openBackup(file, await backupFiles());
  const database = describeDatabase(config.databaseUrl);
  using interrupt = watchInterrupts(() => {
    progress.clear();
    process.stderr.write('Interrupted: rolling back. Interrupt again to end immediately.\n');
  });
  const checkInterrupted = async (): Promise<void> => {
    // SQLite blocks the thread, so give signals a chance in between.
    await nextTurn();
    if (!interrupt.signal.aborted) return;
    throw new Failure(`interrupted: ${database} was not changed.`, {
      remedy: 'Run the same command again to restore the backup.',
    });
  };
  try {
    const rows = opened.manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    const secret = await checkFile(opened, config, (read) => {
      progress.show(read, 'rows checked', read / rows);
      return checkInterrupted();
    });
    progress.clear();
    const { version, madeAt, source, schema } = opened.manifest;
    const facts = { file, version, madeAt: new Date(madeAt).toISOString(), source, schema, rows };
    const description = `${bold(file)}, created ${formatTime(madeAt)} UTC by Innkeeper ${visible(version)} from a ${NAMES[source] ?? 'database'}`;
    if (options.check) {
      if (secret === 'other') throw wrongSecret(config, 'the file is complete, but');
      printResult(options, { ...facts, whole: true, secret }, () =>
        [`${description}, is complete: ${counted(rows, 'row')}.`, CHECKED[secret]].join('\n'),
      );
      return;
    }
    if (secret !== 'fits') throw wrongSecret(config, 'nothing was changed:');

    refuseOverLog(config);
    const { dump } = await storageDriver(config.databaseUrl);
    const contents = await dump.contents();
    const isEmpty = contents.applications + contents.accounts === 0;
    if (!isEmpty) await confirmReplacing(options, database, contents);
    const { restoreBackup } = await import('../domain/backup.ts');
    const done = { write: 0, read: 0 };
    const outcome = await restoreBackup(dump, opened, {
      onlyEmpty: isEmpty,
      async onRows(step, count) {
        done[step] += count;
        const part = Math.min(1, (done.write + done.read) / Math.max(1, 2 * rows));
        progress.show(done[step], step === 'write' ? 'rows written' : 'rows compared', part);
        await checkInterrupted();
      },
    });
    progress.clear();
    if (outcome !== 'replaced') throw notRestored(outcome, database);
    const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
    printResult(options, { ...facts, replaced: isEmpty ? null : contents, seconds }, () => {
      const before = isEmpty ? '' : `, replacing ${showContents(contents)}`;
      return `${description}, was restored to ${database}${before}: ${counted(rows, 'row')} in ${seconds.toFixed(1)} s, verified against the file.`;
    });
  } catch (error) {
    if (error instanceof BackupDamaged) throw damaged(file, error.message);
    if (error instanceof BackupUnwritable) {
      throw new Failure(`nothing was changed: ${file} has an older schema, and ${error.message}.`, {
        remedy: 'Free space there, or set TMPDIR to a folder with more.',
      });
    }
    if (isFromNewerVersion(error)) {
      throw new Failure(`nothing was changed: ${database} was last used by a newer Innkeeper.`, {
        remedy: 'Restore into a new database: set INNKEEPER_DATABASE_URL to one that does not exist yet.',
      });
    }
    throw error;
  } finally {
    progress.clear();
    opened.close();
  }
}

const NAMES: Record<string, string> = { sqlite: 'SQLite database', postgres: 'PostgreSQL database' };
const CHECKED: Record<Exclude<SecretState, 'other'>, string> = {
  fits: 'The configured secret matches the backup.',
  none: 'The secret was not checked: none is configured.',
};

function openBackup(file: string, files: BackupFiles): BackupFile {
  try {
    const opened = files.open(file);
    if (opened.outcome === 'opened') return opened.file;
    if (opened.outcome === 'damaged') throw damaged(file, 'it cannot be read');
    if (opened.outcome === 'foreign') {
      throw new Failure(`${file} is not a backup. Nothing was changed.`, {
        remedy: 'Choose a file created by `innkeeper backup`.',
      });
    }
    const { version, schema, latest } = opened;
    throw new Failure(
      `${file} was created by a newer Innkeeper, ${visible(version)} (schema ${schema}; this version supports ${latest}). Nothing was changed.`,
      { remedy: `Install Innkeeper ${visible(version)} or later and restore it with that, or choose an older backup.` },
    );
  } catch (error) {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`${file}: ${problem}.`, { remedy: 'Choose a file created by `innkeeper backup`.' });
  }
}

async function checkFile(
  file: BackupFile,
  { secret, secretPrevious }: Config,
  show: (read: number) => Promise<void>,
): Promise<SecretState> {
  const { checkRows, secretFits } = await import('../domain/backup.ts');
  let read = 0;
  await checkRows(file, (count) => {
    read += count;
    return show(read);
  });
  if (secret === '') return 'none';
  return (await secretFits(file, createKeyring(secret, secretPrevious))) ? 'fits' : 'other';
}

function damaged(file: string, how: string): Failure {
  return new Failure(`${file} is damaged: ${how}. Nothing was changed.`, { remedy: 'Use another backup.' });
}

function wrongSecret(config: Config, beginning: string): Failure {
  const { secret } = config;
  const path = secretPath(config);
  const what =
    secret === ''
      ? 'no secret is configured, and the backup requires its original one'
      : 'the configured secret does not match the backup';
  return new Failure(`${beginning} ${what}; credentials and tokens in it would not work.`, {
    remedy: `Set INNKEEPER_SECRET to the one of the original installation${path === undefined ? '' : `, or copy its .secret file to ${path}`}.`,
  });
}

async function confirmReplacing(options: Options, database: string, contents: Contents): Promise<void> {
  const what = showContents(contents);
  if (!options.replace) {
    throw new Failure(`nothing was changed: ${database} is not empty: it has ${what}.`, {
      remedy: 'Restore into an empty database, or add --replace to delete the current data first.',
    });
  }
  if (options.yes) return;
  const consequence = `${database} has ${what}: all of it will be deleted and replaced by the backup.`;
  if (!canAsk()) {
    throw new UsageError(`nothing was changed. ${consequence}`, {
      remedy: 'No terminal for the confirmation: add --yes to continue.',
    });
  }
  const question = `${consequence} This cannot be undone.\nType "replace" to continue: `;
  if (!(await confirmByTyping('replace', question, process.stdin, process.stderr))) {
    throw new Failure('nothing was changed: "replace" was not typed.', { remedy: 'Try again, or add --yes.' });
  }
}

function showContents({ applications, users, accounts }: Contents): string {
  return `${counted(applications, 'application')}, ${counted(users, 'user')} and ${counted(accounts, 'portal account')}`;
}

function notRestored(outcome: 'not-empty' | 'in-use', database: string): Failure {
  if (outcome === 'not-empty') {
    return new Failure(`nothing was changed: ${database} is no longer empty.`, {
      remedy: 'Stop the service, check the database, then try again.',
    });
  }
  return new Failure(`nothing was changed: ${database} is in use.`, {
    remedy: 'Wait for other commands to finish or stop the service, then try again.',
  });
}
