import type { Command } from 'commander';
import { listeningUrl, readConfig } from '../config.ts';
import { type CommandOptions, defineCommand } from './command.ts';
import { Failure } from './failure.ts';
import { printResult } from './output.ts';

const TIMEOUT_MS = 3_000;
const FIX = 'Check that the service is running, then run: innkeeper doctor';

export function health(): Command {
  return defineCommand({
    name: 'health',
    description: 'check whether the service on this machine is ready; for container health checks',
    settings: ['port', 'host'],
    examples: [['health', 'exit code 0: ready; 1: not ready, or not running']],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const { host, port } = readConfig(options, { needsSecret: false });
  // A service that listens on every interface also listens on this one.
  const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const url = `${listeningUrl(address, port)}/readyz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  if (!response) throw new Failure(`${url} does not respond.`, { remedy: FIX });
  if (!response.ok) {
    const { message } = (await response.json().catch(() => ({}))) as { message?: string };
    throw new Failure(`the service is not ready: ${message ?? `HTTP ${response.status}`}`, { remedy: FIX });
  }
  printResult(options, { ready: true, url }, () => 'Ready.');
}
