// node directus-server.js POSTGRES-URL: Directus on PostgreSQL. Prints its port.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import './without-isolated-vm.js';

const [url = ''] = process.argv.slice(2);
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();

Object.assign(process.env, {
  SECRET: 'a secret of the benchmark, long enough',
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: url,
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  ADMIN_EMAIL: 'bench@example.com',
  ADMIN_PASSWORD: 'a password of the benchmark',
  ADMIN_TOKEN: 'a-token-of-the-benchmark',
  // Its fastest settings: no log, no limits, nothing recorded.
  LOG_LEVEL: 'silent',
  TELEMETRY: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
});
const cli = join(import.meta.dirname, 'node_modules/@directus/api/dist/cli/run.js');
const preload = join(import.meta.dirname, 'without-isolated-vm.js');
await promisify(execFile)(process.execPath, ['--import', preload, cli, 'bootstrap']);
// It would send its own message.
const send = process.send.bind(process);
process.send = undefined;
process.argv.splice(1, process.argv.length, cli, 'start');
await import(cli);
while (!(await fetch(`http://127.0.0.1:${port}/server/ping`).catch(() => undefined))?.ok) {
  await new Promise((resolve) => setTimeout(resolve, 100));
}
send(port);
