// node better-auth-server.js DATABASE-FILE: Better Auth on SQLite, flushing as Innkeeper does. Plain JavaScript: its
// types exist only once the benchmark has installed it. Prints its port.

import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { anonymous, bearer, oneTimeToken } from 'better-auth/plugins';

const database = new DatabaseSync(process.argv[2]);
database.exec('pragma journal_mode = wal; pragma synchronous = full');

const options = {
  database,
  baseURL: 'http://127.0.0.1',
  trustedOrigins: ['http://127.0.0.1'],
  secret: 'a secret of the benchmark, long enough for it',
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  // Users without a password, and one-time tokens, as in Innkeeper, so that no password is hashed.
  plugins: [anonymous(), bearer(), oneTimeToken({ expiresIn: 60 })],
  user: { additionalFields: { preferences: { type: 'string', required: false } } },
};
await (await getMigrations(options)).runMigrations();
const handle = toNodeHandler(betterAuth(options));
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
