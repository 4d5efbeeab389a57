import { closeSync, fchmodSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import type { Command } from 'commander';
import { codeOf } from '../caught.ts';
import type { ImportCounts, Rejection } from '../domain/users/import-users.ts';
import { DatabaseDamaged, StorageUnavailable } from '../storage/port.ts';
import { type CommandOptions, defineManagementCommand } from './command.ts';
import { refuseDatabaseFile } from './database-files.ts';
import { Failure, fileProblem, UsageError } from './failure.ts';
import { bold, counted, dim, layOut, printResult, visible } from './output.ts';
import { type OpenInput, openInput, readLines } from './read-input.ts';
import { unknownApplication } from './refusals.ts';
import { Progress, watchInterrupts } from './terminal.ts';
import { withManagement } from './with-management.ts';

/** How many rejected lines the summary lists. */
const SHOWN = { people: 20, programs: 100 };

type Options = CommandOptions & {
  app: string;
  update?: true;
  resume?: true;
  newCodes?: true;
  restoreDeleted?: true;
  withRetired?: true;
  /** --no-events. */
  events: boolean;
  rejects?: string;
};

export function usersImport(): Command {
  return defineManagementCommand({
    name: 'import',
    description: 'import users with their selections from NDJSON, one user per line',
    examples: [
      ['users import users.ndjson --app 123456789_4f2c', 'exit code 1 if a line was rejected'],
      ['users import users.ndjson --app 123456789_4f2c --resume', 'continue an interrupted import'],
      ['users import users.ndjson --app 123456789_4f2c --update', 'import a newer export; newer selections are kept'],
      ['users import users.ndjson --app 123456789_4f2c --rejects bad.ndjson', 'save rejected lines with their reasons'],
      ['users export --app 1_old | innkeeper users import - --app 2_new --new-codes', 'copy to another application'],
    ],
  })
    .argument('<FILE>', 'NDJSON, or - for stdin')
    .requiredOption('--app <ID>', 'clientId of the application')
    .option(
      '--update',
      'update users that differ from their line, except selections newer than the line; without this, reject the line',
    )
    .option('--resume', 'skip users that already exist, to continue an interrupted import')
    .option('--new-codes', 'create new service_user_codes instead of those in the file')
    .option('--restore-deleted', 'restore deleted users; without this, lines with their code are skipped')
    .option('--with-retired', 'also import retired values and archived keys, which an export can contain')
    .option('--no-events', 'write no events; without this, each user that is created or updated gets one')
    .option('--rejects <file>', 'write rejected lines to this file, with line numbers and reasons')
    .addHelpText('after', () => `\n${LINE_HELP}`)
    .action(run);
}

const LINE_HELP = `${bold('A line')} (only clientUserId and clientUserName are required; for the rest, see /guide/import on the service):
  {"clientUserId":"mia@example.com","clientUserName":"Mia","service_user_code":"0192…","created_at":"2025-01-31 08:00:00",
   "options":[{"group":"notifications","key":"channels","value":["sms"],"language":"en","updated_at":"2025-02-01 09:30:00"}]}
  {"clientUserId":"old@example.com","clientUserName":"Old","profileOnly":true}`;

async function run(file: string, options: Options): Promise<void> {
  if (options.update && options.resume) {
    throw new UsageError('--update and --resume cannot be combined.', {
      remedy: 'To continue an import with --update, run it again with --update.',
    });
  }
  using input = await openInput(file);
  if (options.rejects !== undefined && isSameFile(options.rejects, input)) {
    throw new UsageError('--rejects is the input file.', { remedy: 'Choose another name.' });
  }

  // Imported here, so that no other command has to load the rules for values.
  const { MAX_LINE_BYTES } = await import('../domain/users/import-line.ts');
  const started = performance.now();
  const shown: Omit<Rejection, 'text'>[] = [];
  const { outcome, counts, name } = await withManagement(options, async ({ applications, users }) => {
    const { name } = await applications.show(options.app);
    using rejects = options.rejects === undefined ? undefined : new RejectsFile(options.rejects);
    using watch = watchInterrupts(() => input.stop());
    const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
    let bytesRead = 0;
    let reached: ImportCounts | undefined;
    const lines = readLines(input.bytes(watch.signal), MAX_LINE_BYTES, (bytes) => {
      bytesRead = bytes;
    });
    try {
      const result = await users.import(options.app, lines, {
        ifThere: options.update ? 'update' : options.resume ? 'keep' : 'compare',
        newCodes: options.newCodes === true,
        restoreDeleted: options.restoreDeleted === true,
        withRetired: options.withRetired === true,
        withoutEvents: !options.events,
        signal: watch.signal,
        onRejected({ text, ...rejection }) {
          if (shown.length < SHOWN.programs) shown.push(rejection);
          rejects?.add({ ...rejection, text });
        },
        onProgress(counts) {
          reached = counts;
          const part = input.size === undefined ? undefined : Math.min(1, bytesRead / Math.max(1, input.size));
          const note = counts.rejected === 0 ? '' : `${counts.rejected.toLocaleString('en')} rejected`;
          progress.show(counts.lines, 'users', part, note);
        },
      });
      return { ...result, name };
    } catch (error) {
      const isDatabase = error instanceof StorageUnavailable && !(error instanceof DatabaseDamaged);
      const isFailure = error instanceof Failure && reached !== undefined;
      const isGone = isFailure && error.message === unknownApplication(options.app).message;
      if (!(isDatabase || isFailure) || isGone) throw error;
      const check = isFailure ? (error.remedy ?? '') : '`innkeeper doctor` checks the database.';
      throw new Failure(`the import stopped at about line ${reached?.lines ?? 0}: ${error.message}`, {
        problems: isFailure ? error.problems : [],
        remedy: `${howToContinue(options)} ${check}`.trim(),
      });
    } finally {
      progress.clear();
    }
  });

  const seconds = (performance.now() - started) / 1000;
  const interrupted = outcome === 'interrupted';
  const summary = {
    clientId: options.app,
    ...counts,
    interrupted,
    seconds: Number(seconds.toFixed(3)),
    usersPerSecond: Math.round(counts.lines / seconds),
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    rejections: shown,
  };
  printResult(options, summary, () =>
    showSummary(name, counts, { seconds, interrupted, shown, kept: options.rejects, remedy: howToContinue(options) }),
  );
  process.exitCode = interrupted || counts.rejected > 0 ? 1 : 0;
}

/** With --resume, an import that updates would skip every existing user. */
function howToContinue({ update }: Options): string {
  const how = update ? 'Run the same command again' : 'Run it again with --resume';
  return `Imported users are kept. ${how} to continue.`;
}

function showSummary(
  name: string,
  counts: ImportCounts,
  about: {
    seconds: number;
    interrupted: boolean;
    shown: Omit<Rejection, 'text'>[];
    kept: string | undefined;
    remedy: string;
  },
): string {
  const { seconds, interrupted, shown, kept, remedy } = about;
  const rate = Math.round(counts.lines / seconds).toLocaleString('en');
  const rows = (
    [
      ['created', counts.created],
      ['created for an existing profile', counts.adopted],
      ['updated', counts.updated],
      ['unchanged', counts.unchanged],
      ['selections kept, newer than their line', counts.keptNewer],
      ['already there, skipped', counts.skipped],
      ['deleted since, left out (--restore-deleted restores them)', counts.deletedSince],
      ['imported as a profile only', counts.profilesOnly],
      ['rejected', counts.rejected],
    ] as const
  ).filter(([what, count]) => count > 0 || what === 'created');
  const lines = [
    `${interrupted ? 'Interrupted after' : 'Read'} ${counted(counts.lines, 'line')} for ${bold(visible(name))} in ${seconds.toFixed(1)} s (${rate} per second).`,
    '',
    layOut(
      rows.map(([what, count]) => [count.toLocaleString('en').padStart(12), what]),
      { gap: 2 },
    ),
  ];
  if (counts.rejected > 0) {
    const some = shown.slice(0, SHOWN.people);
    const more = counts.rejected - some.length;
    lines.push(
      '',
      layOut(
        some.map(({ line, code, reason }) => [`line ${line}`, dim(code), visible(reason)]),
        { indent: 2 },
      ),
      ...(more > 0 ? [`  … and ${more.toLocaleString('en')} more`] : []),
      kept === undefined
        ? 'Save rejected lines and their reasons with: --rejects FILE'
        : `See ${kept} for all of them.`,
    );
  }
  if (interrupted) lines.push('', remedy);
  return lines.join('\n');
}

const FLUSH_AT = 64 * 1024;

/** Rejected lines as NDJSON. Writes are synchronous, so that memory stays bounded even if every line is rejected. */
class RejectsFile implements Disposable {
  readonly #file: number;
  readonly #path: string;
  #waiting = '';

  constructor(path: string) {
    this.#path = path;
    refuseDatabaseFile(`--rejects ${path}`, path);
    try {
      // It contains personal data, so only the owner may read it.
      this.#file = openSync(path, 'a', 0o600);
      if (fstatSync(this.#file).isFile()) {
        fchmodSync(this.#file, 0o600);
        ftruncateSync(this.#file);
      }
    } catch (error) {
      const problem = fileProblem(error);
      if (!problem) throw error;
      throw new UsageError(`--rejects ${path}: ${problem}.`, { remedy: 'Choose a writable file.' });
    }
  }

  add(rejection: Rejection): void {
    this.#waiting += `${JSON.stringify(rejection)}\n`;
    if (this.#waiting.length >= FLUSH_AT) this.#flush();
  }

  [Symbol.dispose](): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      throw new Failure(`--rejects ${this.#path}: ${fileProblem(error) ?? codeOf(error)}.`);
    }
  }
}

function isSameFile(path: string, { identity }: OpenInput): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.dev === identity.dev && stats.ino === identity.ino;
}
