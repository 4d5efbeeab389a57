// Asks the registry for known vulnerabilities in everything Innkeeper is run, built and tested with. If the registry
// does not respond, it says so and succeeds: a build must not depend on it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';

const PATIENCE_MS = 30_000;
const FROM = ['high', 'critical'];

const args = ['audit', '--json', '--fetch-retries=0', `--fetch-timeout=${PATIENCE_MS / 2}`];
const how = { cwd: join(import.meta.dirname, '..'), timeout: PATIENCE_MS, maxBuffer: 64 * 1024 ** 2 };
execFile('npm', args, how, (error, stdout) => {
  const report = read(stdout);
  if (!report?.auditReportVersion) {
    const why = report?.message ?? error?.message?.split('\n', 1)[0] ?? 'no response';
    console.log(`Not checked: the registry gives no audits (${why.replace(/ - .*/, '')}).`);
    return;
  }
  const found = Object.values(report.vulnerabilities);
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`);
  const grave = found.filter(({ severity }) => FROM.includes(severity));
  console.log(`${found.length} packages with known weaknesses, ${grave.length} of them grave.`);
  if (grave.length > 0) process.exitCode = 1;
});

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
