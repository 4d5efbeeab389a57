// node parse-server-server.js POSTGRES-URL: Parse Server on PostgreSQL. Prints its port.

import { createServer } from 'node:http';
import express from 'express';
import { ParseServer } from 'parse-server';

const parse = new ParseServer({
  databaseURI: process.argv[2],
  appId: 'bench',
  masterKey: 'a master key of the benchmark',
  serverURL: 'http://127.0.0.1/parse',
  logsFolder: null,
  allowClientClassCreation: true,
});
await parse.start();
const app = express();
app.use('/parse', parse.app);
const server = createServer(app);
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
