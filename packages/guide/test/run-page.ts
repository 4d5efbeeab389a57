import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Block } from './read-blocks.ts';

const BIN = join(import.meta.dirname, '../../server/bin/innkeeper.js');
const DATABASE_CLIENT = join(import.meta.dirname, 'database-client.ts');

/** Makes the commands available as if they were installed. */
export const COMMANDS = `node() { "$NODE" "$@"; }
innkeeper() { "$NODE" '${BIN}' "$@"; }
`;

/**
 * Any failure ends the page, including a response of 400 or above. A running service sees a command's changes within a
 * second.
 */
const PRELUDE = `set -eo pipefail
curl() {
  if [ -e .commanded ]; then rm -f .commanded; sleep 1; fi
  command curl --fail-with-body "$@"
}
${COMMANDS}innkeeper() { touch .commanded; "$NODE" '${BIN}' "$@"; }
psql() { "$NODE" '${DATABASE_CLIENT}' psql "$@"; }
sqlite3() { "$NODE" '${DATABASE_CLIENT}' sqlite3 "$@"; }
`;

type Place = { cwd: string; url: string; given: Record<string, string> };

/**
 * Runs the blocks of a page in one shell, in order, and returns the output of each. `NAME=…` stands for the reader's
 * own values.
 */
export async function runPage(blocks: Block[], { cwd, url, given }: Place): Promise<Map<Block, string>> {
  for (const { file, text } of blocks) {
    if (file !== undefined) await writeFile(join(cwd, file), `${text.replaceAll('http://127.0.0.1:8080', url)}\n`);
  }
  const commands = blocks.filter(({ language }) => language === 'sh');
  const script = commands.map((block, index) => {
    const text = block.text.replaceAll('http://127.0.0.1:8080', url).replaceAll(/\b([A-Z_]+)=…/g, '$1="$GIVEN_$1"');
    const body = block.refused ? `if ( set -e\n${text}\n); then echo 'not refused' >&2; exit 97; fi` : text;
    return `echo 'line ${block.line}' >&2\n{\n${body}\n} > out.${index}\n`;
  });
  const env = {
    ...given,
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`GIVEN_${name}`, value])),
    PATH: process.env.PATH,
    NODE: process.execPath,
  };
  await writeFile(join(cwd, 'page.sh'), PRELUDE + script.join(''));
  try {
    await promisify(execFile)('bash', ['page.sh'], { cwd, env });
  } catch (error) {
    const { stderr } = error as { stderr: string };
    const reached = stderr.split('\n').filter((line) => line.startsWith('line ')).length - 1;
    const printed = await readFile(join(cwd, `out.${reached}`), 'utf8').catch(() => '');
    throw new Error(`the block at ${stderr.trim()}\n${printed}`, { cause: error });
  }
  const outputs = await Promise.all(commands.map((_, index) => readFile(join(cwd, `out.${index}`), 'utf8')));
  return new Map(commands.map((block, index) => [block, outputs[index] as string]));
}
