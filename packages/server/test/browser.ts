import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const run = promisify(execFile);

/** Turns off everything a browser does unasked: first-run pages, updates, synchronisation. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The headless shell comes first: without browser chrome, it opens a page five times as fast. */
const USUAL_PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** How to launch a real Chromium. It is installed if missing; tests fail if that is impossible. */
export async function chromiumHere(): Promise<{ executablePath: string; args: string[] }> {
  return { executablePath: findChromium() ?? (await installChromium()), args: FLAGS };
}

function findChromium(): string | undefined {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH is ${named}: there is nothing at that path.`);
    return named;
  }
  return [...USUAL_PLACES, chromium.executablePath()].find((path) => path !== '' && existsSync(path));
}

async function installChromium(): Promise<string> {
  const isDebian = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  try {
    if (isDebian) {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      await run('apt-get', ['update'], { env });
      await run('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium-headless-shell'], {
        env,
        maxBuffer: 2 ** 26,
      });
    } else {
      const command = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js');
      await run(process.execPath, [command, 'install', 'chromium'], { maxBuffer: 2 ** 26 });
    }
  } catch (error) {
    throw new Error('Chromium was not found and could not be installed. Install it, or name one in CHROMIUM_PATH.', {
      cause: error,
    });
  }
  const installed = findChromium();
  if (installed === undefined) throw new Error('Chromium was installed, but is in none of the usual places.');
  return installed;
}
