import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

/**
 * The counterpart of wrk.lua for autocannon: autocannon.ts URL CONNECTIONS SECONDS FILE once|again [MEAN PAUSE IN MS].
 * Every connection has its own share of the requests.
 */
const [, , url = '', connections, seconds, path = '', order, pauseMs] = process.argv;
const shares: autocannon.Request[][] = Array.from({ length: Number(connections) }, () => []);
for (const [index, request] of readRequests(path).entries()) shares[index % shares.length]?.push(request);
const used = shares.filter((share) => share.length > 0);
if (order === 'again') while (used.length < shares.length) used.push(used[0] ?? []);

let startedAt = 0;
let lastAt = 0;
let bad = 0;
let connection = 0;
const ended = Promise.withResolvers<autocannon.Result>();
const run = autocannon(
  {
    url,
    duration: Number(seconds),
    connections: used.length,
    sampleInt: 100,
    ...(order === 'once' ? { maxConnectionRequests: Math.min(...used.map((share) => share.length)) } : {}),
    ...(pauseMs ? { overallRate: Math.round((used.length * 1000) / Number(pauseMs)) } : {}),
    setupClient(client) {
      client.setRequests(used[connection++] ?? []);
    },
  },
  (error, result) => (error ? ended.reject(error) : ended.resolve(result)),
);
run.on('start', () => {
  startedAt = performance.now();
});
run.on('response', (_, status) => {
  lastAt = performance.now();
  if (status > 399) bad++;
});
const { errors, timeouts, latency, requests } = await ended.promise;
console.log(
  JSON.stringify({
    seconds: (lastAt - startedAt) / 1000,
    answered: requests.total,
    p50: latency.p50,
    p99: latency.p99,
    failed: errors + timeouts + bad,
    failures: `${errors} errors, ${timeouts} timeouts, ${bad} statuses over 399`,
  }),
);

function readRequests(file: string): autocannon.Request[] {
  const bytes = readFileSync(file);
  const found: autocannon.Request[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\n', at);
    const end = lineEnd + 1 + Number(bytes.toString('latin1', at, lineEnd));
    found.push(toRequest(bytes.toString('utf8', lineEnd + 1, end)));
    at = end;
  }
  return found;
}

function toRequest(text: string): autocannon.Request {
  const headEnd = text.indexOf('\r\n\r\n');
  const [line = '', ...fields] = text.slice(0, headEnd).split('\r\n');
  const [method, target] = line.split(' ');
  const headers = Object.fromEntries(fields.map((field) => field.split(': ', 2) as [string, string]));
  const body = text.slice(headEnd + 4);
  return { method, path: target, headers, ...(body ? { body } : {}) } as autocannon.Request;
}
