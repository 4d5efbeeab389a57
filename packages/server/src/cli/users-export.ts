import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import { codeOf } from '../caught.ts';
import { behindLinks } from '../file-names.ts';
import { type CommandOptions, defineManagementCommand } from './command.ts';
import { refuseDatabaseFile } from './database-files.ts';
import { Failure, fileProblem, UsageError } from './failure.ts';
import type { WantedUsers } from './management.ts';
import { bold, counted, printResult, visible } from './output.ts';
import { nameCompleted, partialPath, removedWhenInterrupted, removeLeftovers } from './partial-file.ts';
import { Progress } from './terminal.ts';
import { withManagement } from './with-management.ts';

type Options = CommandOptions & {
  app: string;
  output?: string;
  where?: string[];
  effective?: boolean;
  status?: string;
  user?: string;
  format?: string;
};

export function usersExport(): Command {
  return defineManagementCommand({
    name: 'export',
    description: 'export users with their selections as NDJSON, one user per line, in a fixed order',
    examples: [
      ['users export --app 123456789_4f2c > users.ndjson', 'users on stdout, summary on stderr'],
      [
        "users export --app 123456789_4f2c --where notifications.newsletter=true --where '!appearance.theme'",
        'users with the newsletter and without a theme',
      ],
      [
        'users export --app 123456789_4f2c --user ada@example.com --format html --output ada.html',
        'all data about one user, as a page',
      ],
      [
        'users export --app 123456789_4f2c --output users.ndjson --json',
        '{"clientId","users","profilesOnly","seconds"}',
      ],
    ],
  })
    .requiredOption('--app <ID>', 'clientId of the application')
    .option(
      '--where <condition>',
      'only matching users: group.key=value, group.key!=value, group.key or !group.key; can be repeated, all must match',
      (condition: string, before: string[] = []) => [...before, condition],
    )
    .option('--effective', 'with --where: include defaults')
    .option('--status <status>', 'only users with this status: active or suspended')
    .option('--user <ID>', 'all data about one user: profile, selections, history, tokens, receipts, events')
    .option('--format <format>', 'with --user: json (default) or html')
    .option('--output <file>', 'write to this file, all or nothing; readable by its owner only')
    .action(run);
}

async function run(options: Options): Promise<void> {
  if (options.user !== undefined) return exportOne(options, options.user);
  if (options.format !== undefined) throw new UsageError('--format requires --user: all users are exported as NDJSON.');
  const filter = readFilter(options);
  const started = performance.now();
  const result = await withManagement(options, async ({ applications, users: transfer }) => {
    const { name, users: total } = await applications.show(options.app);
    const quiet = options.json || (options.output === undefined && process.stdout.isTTY);
    const progress = new Progress(quiet ? { write: () => {} } : process.stderr);
    let [users, profilesOnly] = [0, 0];
    try {
      await writeAll(options, async (stream) => {
        for await (const page of transfer.export(options.app, filter)) {
          await writeText(stream, page.text);
          users += page.users;
          profilesOnly += page.profilesOnly;
          progress.show(users, 'users', Math.min(1, users / Math.max(1, total)));
        }
      });
    } finally {
      progress.clear();
    }
    return { name, users, profilesOnly };
  });
  const { name, users, profilesOnly } = result;
  const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
  const alone = profilesOnly === 0 ? '' : ` and ${counted(profilesOnly, 'profile')} without a user`;
  const text = options.json
    ? JSON.stringify({ clientId: options.app, users, profilesOnly, seconds })
    : `Exported ${counted(users, 'user')}${alone} of ${bold(visible(name))} in ${seconds.toFixed(1)} s.`;
  // stdout is for the users, unless they go to a file.
  (options.output === undefined ? process.stderr : process.stdout).write(`${text}\n`);
}

/** For a person's request for their data (GDPR, article 15). */
async function exportOne(options: Options, id: string): Promise<void> {
  const { format = 'json', where, effective, status } = options;
  if (format !== 'json' && format !== 'html') throw new UsageError(`--format must be json or html, not "${format}".`);
  if (where || effective || status !== undefined) throw new UsageError('--user cannot be combined with a filter.');
  const { service_user_code, clientUserId } = await withManagement(options, async ({ users }) => {
    const { user, texts } = await users.exportOne(options.app, id, format);
    await writeAll(options, async (stream) => {
      for await (const text of texts) await writeText(stream, text);
    });
    return user;
  });
  if (options.output === undefined) return;
  printResult(options, { clientId: options.app, service_user_code, clientUserId }, () => {
    return `Exported ${bold(visible(clientUserId))} to ${options.output}.`;
  });
}

function readFilter({ where = [], effective = false, status }: Options): WantedUsers | undefined {
  if (status !== undefined && status !== 'active' && status !== 'suspended') {
    throw new UsageError(`--status must be active or suspended, not "${status}".`);
  }
  if (effective && where.length === 0) throw new UsageError('--effective needs --where.');
  return where.length === 0 && status === undefined ? undefined : { where, effective, status };
}

async function writeText(stream: Writable, text: string): Promise<void> {
  if (stream.write(text)) return;
  // It may have failed since the last text; then it never drains.
  if (stream.errored) throw stream.errored;
  await once(stream, 'drain');
}

/** To the given file, completely or not at all, or to stdout. */
async function writeAll(options: Options, write: (stream: Writable) => Promise<void>): Promise<void> {
  const { output: path } = options;
  const output = path === undefined ? toStdout() : await toFile(path, options);
  try {
    await write(output.stream);
    await output.finish();
  } catch (error) {
    const isOutput = path !== undefined && error === output.stream.errored;
    await output.discard();
    if (!isOutput) throw error;
    throw new Failure(`--output ${path}: ${fileProblem(error) ?? codeOf(error)}.`, {
      remedy: 'Free some space there, or choose another file.',
    });
  }
}

type Output = { stream: Writable; finish(): Promise<void>; discard(): Promise<void> };

function toStdout(): Output {
  return { stream: process.stdout, finish: async () => {}, discard: async () => {} };
}

/**
 * Written under another name until it is complete: a partial export must not look like a whole one. Anything that is
 * not a file, such as a pipe, is written directly.
 */
async function toFile(path: string, options: Options): Promise<Output> {
  refuseDatabaseFile(`--output ${path}`, path);
  try {
    const there = await stat(path).catch(() => undefined);
    const isFile = there === undefined || there.isFile();
    const target = isFile ? behindLinks(path) : path;
    const partial = isFile ? partialPath(target) : path;
    if (isFile) removeLeftovers(options, target, 'an export');
    const handle = await open(partial, 'w', 0o600);
    const watch = isFile ? removedWhenInterrupted(partial) : undefined;
    const stream = createWriteStream(partial, { fd: handle, flush: isFile });
    let failure: Error | undefined;
    stream.on('error', (error) => {
      failure = error;
    });
    return {
      stream,
      async finish() {
        if (failure) throw failure;
        stream.end();
        await once(stream, 'close');
        if (failure) throw failure;
        if (isFile) nameCompleted(partial, target);
        watch?.[Symbol.dispose]();
      },
      async discard() {
        stream.destroy();
        if (isFile) await rm(partial, { force: true });
        watch?.[Symbol.dispose]();
      },
    };
  } catch (error) {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`--output ${path}: ${problem}.`, { remedy: 'Choose a writable file.' });
  }
}
