import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { createBackEnd } from './server.ts';

// npm run example: Innkeeper with SQLite, the application's catalog in it, and the application itself.

const HERE = import.meta.dirname;
const INNKEEPER = join(HERE, '../../packages/server/bin/innkeeper.js');
const { EXAMPLE_PORT = '3000', EXAMPLE_INNKEEPER_PORT = '8090', EXAMPLE_DATA = join(HERE, 'data') } = process.env;
const env = { ...process.env, INNKEEPER_DATABASE_URL: `sqlite:${join(EXAMPLE_DATA, 'innkeeper.db')}` };

async function innkeeper(...words: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [INNKEEPER, ...words, '--json'], { env });
  return JSON.parse(stdout);
}

/** Created at the first start. The secret is shown only once, so it is stored. */
async function application(): Promise<{ clientId: string; clientSecret: string }> {
  const kept = join(EXAMPLE_DATA, 'application.json');
  const known = await readFile(kept, 'utf8').catch(() => undefined);
  if (known !== undefined) return JSON.parse(known);
  const made = (await innkeeper('app', 'create', '--name', 'Preferences')) as {
    clientId: string;
    clientSecret: string;
  };
  await writeFile(kept, JSON.stringify(made), { mode: 0o600 });
  return made;
}

await mkdir(EXAMPLE_DATA, { recursive: true, mode: 0o700 });
const { clientId, clientSecret } = await application();
const origin = `http://localhost:${EXAMPLE_PORT}`;
await innkeeper('catalog', 'apply', join(HERE, 'catalog.yaml'), '--app', clientId);
await innkeeper('app', 'set', clientId, `allowedOrigins=${origin}`);

const flags = ['--host', '127.0.0.1', '--port', EXAMPLE_INNKEEPER_PORT, '--log-level', 'warn'];
const service = spawn(process.execPath, [INNKEEPER, 'serve', ...flags], { env, stdio: 'inherit' });
const innkeeperUrl = `http://127.0.0.1:${EXAMPLE_INNKEEPER_PORT}`;

const pageFolder = join(EXAMPLE_DATA, 'page');
await build({ root: join(HERE, 'page'), logLevel: 'error', build: { outDir: pageFolder, emptyOutDir: true } });
const backEnd = createBackEnd({ innkeeperUrl, clientId, clientSecret, pageFolder });

const stop = () => {
  service.kill();
  backEnd.close();
  backEnd.closeAllConnections();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
service.once('exit', stop);
backEnd.listen(Number(EXAMPLE_PORT), 'localhost', () => console.log(`The example is at ${origin}`));
