import { existsSync, rmSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { MadeBackup } from '../domain/backup.ts';
import { behindLinks } from '../file-names.ts';
import { version } from '../package.ts';
import { secretPath } from '../secret-file.ts';
import { type BackupFiles, BackupUnwritable, DatabaseDamaged, RowsContradict } from '../storage/port.ts';
import { RESTORE_STEPS } from '../storage/problems.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { describeDatabase, isCompanion } from './database-files.ts';
import { Failure, fileProblem, UsageError } from './failure.ts';
import { bold, counted, printResult, showSize } from './output.ts';
import { nameCompleted, partialPath, removedWhenInterrupted, removeLeftovers } from './partial-file.ts';
import { Progress } from './terminal.ts';

type Options = CommandOptions & { force?: true };

export function backup(): Command {
  return defineCommand({
    name: 'backup',
    description:
      'write the whole database to one file while the service runs. The file can be restored to SQLite or PostgreSQL. ' +
      'It does not contain INNKEEPER_SECRET: back that up separately',
    settings: STORAGE_SETTINGS,
    examples: [
      ['backup innkeeper-2026-01-31.backup', 'a consistent snapshot, verified before it gets its name'],
      [
        'backup /backups/latest.backup --force --json',
        'every night: {"file","bytes","madeAt","source","schema","rows",…}',
      ],
      ['restore --check innkeeper-2026-01-31.backup', 'verify a backup'],
    ],
  })
    .argument('<FILE>', 'file to write; readable by its owner only')
    .option('--force', 'replace an existing backup; other files are never replaced')
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const config = readConfig(options, { needsSecret: false });
  const { databaseUrl } = config;
  const { backupFiles, storageDriver } = await import('../storage/open.ts');
  const { makeBackup } = await import('../domain/backup.ts');
  const files = await backupFiles();
  refuseToReplace(file, options.force, files);
  const started = performance.now();
  const now = Date.now();
  const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
  const rows = { write: 0, read: 0 };
  const target = about(file, () => behindLinks(file));
  removeLeftovers(options, target, 'a backup');
  const partial = partialPath(target);
  using _ = removedWhenInterrupted(partial);
  const made = await makeBackup(await storageDriver(databaseUrl), files, partial, {
    version,
    now,
    onRows(step, count) {
      rows[step] += count;
      const part = step === 'read' ? rows.read / rows.write : undefined;
      progress.show(rows[step], step === 'read' ? 'rows read back' : 'rows written', part);
    },
  })
    .catch((error: unknown) => {
      throw explainDamage(error, databaseUrl) ?? explainFile(error, file, partial) ?? error;
    })
    .finally(() => progress.clear());
  if (made.outcome !== 'made') throw notCreated(made, describeDatabase(databaseUrl));
  try {
    refuseToReplace(file, options.force, files);
    nameCompleted(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }

  const { madeAt, source, schema, tables } = made.manifest;
  const bytes = statSync(file).size;
  const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
  const result = { file, bytes, version, madeAt: new Date(madeAt).toISOString(), source, schema, rows: rows.write };
  printResult(options, { ...result, tables, seconds, secretIncluded: false }, () => {
    const kept = secretPath(config);
    const secret = kept !== undefined && existsSync(kept) ? `the file ${kept}` : 'INNKEEPER_SECRET';
    return `${bold(file)}: ${counted(rows.write, 'row')} from ${describeDatabase(databaseUrl)}, ${showSize(bytes)}, in ${seconds.toFixed(1)} s. It was read back and verified.
It does not contain the secret, which its credentials and tokens require: back up ${secret} separately.`;
  });
}

const GIVE_ANOTHER = { remedy: 'Choose a file in an existing folder that this user may read and write.' };

/** The name may belong to a database or its secret: only a backup may be replaced. */
function refuseToReplace(file: string, force: true | undefined, files: BackupFiles): void {
  if (isCompanion(file)) throw new UsageError(`${file} belongs to a database.`, { remedy: 'Choose another name.' });
  const there = about(file, () => statSync(file, { throwIfNoEntry: false }));
  if (!there) return;
  if (there.isDirectory()) throw new UsageError(`${file} is a folder.`, { remedy: 'Add the name of a file in it.' });
  if (!force)
    throw new UsageError(`${file} already exists.`, { remedy: 'Choose another name, or add --force to replace it.' });
  if (there.isFile() && (there.size === 0 || isBackup(file, files))) return;
  throw new UsageError(`${file} is not a backup: --force does not replace it.`, { remedy: 'Choose another name.' });
}

function isBackup(file: string, files: BackupFiles): boolean {
  const opened = about(file, () => files.open(file));
  if (opened.outcome === 'opened') opened.file.close();
  return opened.outcome !== 'foreign';
}

function notCreated(made: Exclude<MadeBackup, { outcome: 'made' }>, database: string): Failure {
  if (made.outcome === 'empty') {
    return new Failure(`nothing to back up: ${database} is not an Innkeeper database.`, {
      remedy: 'Check INNKEEPER_DATABASE_URL.',
    });
  }
  const { outcome, applied, latest } = made;
  return new Failure(
    `${database} has the schema of ${outcome === 'older' ? 'an older' : 'a newer'} Innkeeper (${applied}; this version supports ${latest}).`,
    {
      remedy: `Create the backup with that version${outcome === 'older' ? ', or run `innkeeper migrate` first' : ''}.`,
    },
  );
}

/** A problem here is one of the file to write, not of the database. */
function about<T>(file: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === undefined ? error : new UsageError(`${file}: ${problem}.`, GIVE_ANOTHER);
  }
}

/** The database is damaged, not the file being written. */
function explainDamage(error: unknown, databaseUrl: string): Failure | undefined {
  const isFile = databaseUrl.startsWith('sqlite:');
  const remedy = `Keep your earlier backups. \`innkeeper doctor --deep\` lists the damage.${isFile ? ` ${RESTORE_STEPS}` : ''}`;
  if (error instanceof DatabaseDamaged) return new Failure(`no backup was written: ${error.message}`, { remedy });
  if (!(error instanceof RowsContradict)) return undefined;
  return new Failure(
    `no backup was written: ${describeDatabase(databaseUrl)} is damaged: its rows contradict each other (${error.message}).`,
    {
      remedy,
    },
  );
}

function explainFile(error: unknown, file: string, partial: string): Failure | undefined {
  if (error instanceof BackupUnwritable) {
    return new Failure(`${file} cannot be written: ${error.message}.`, {
      remedy: 'Check the free disk space. No file was left behind.',
    });
  }
  const { path, code } = error as NodeJS.ErrnoException;
  const problem = path !== partial ? undefined : code === 'ENOENT' ? 'its folder does not exist' : fileProblem(error);
  return problem === undefined ? undefined : new UsageError(`${file}: ${problem}.`, GIVE_ANOTHER);
}
