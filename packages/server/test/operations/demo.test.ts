import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { BIN, endAll, serve } from './serve-process.ts';

afterEach(endAll);

const run = promisify(execFile);

/** Runs a pasted line in a clean shell; returns its output and the HTTP status. */
async function paste(line: string): Promise<{ printed: string; status: number }> {
  // The last --write-out wins, so this overrides the line's own.
  const { stdout } = await run('bash', ['--noprofile', '--norc', '-c', `${line} -w '\\n%{http_code}'`], {
    env: { PATH: process.env.PATH },
  });
  const lines = stdout.split('\n');
  return { status: Number(lines.pop()), printed: lines.join('\n') };
}

function curlLines(output: string): string[] {
  return output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('curl '));
}

describe('npm start in an empty folder', () => {
  it('shows a demo application and five lines that work as pasted; the second start creates and shows nothing', async () => {
    await run('curl', ['--version']); // the lines use curl, so this test needs it
    const cwd = await mkdtemp(join(inject('scratchFolder'), 'demo-'));
    const first = await serve({ args: ['--demo'], cwd });
    await vi.waitFor(() => expect(first.stdout()).toContain('Ctrl+C'), { timeout: 30_000 });

    const shown = first.stdout();
    expect(shown).toContain(`Guide: ${first.url}/guide\n`);
    const clientId = /clientId\s+(\d+_\w+)/.exec(shown)?.[1];
    const clientSecret = /clientSecret\s+(\S{40,})/.exec(shown)?.[1];
    expect(clientId).toBeDefined();
    expect(clientSecret).toBeDefined();
    expect(shown).toContain(first.url);
    const lines = curlLines(shown);
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const { status, printed } = await paste(line);
      expect(status, `${line}\n${printed}`).toBeGreaterThanOrEqual(200);
      expect(status, `${line}\n${printed}`).toBeLessThan(300);
    }
    const setUp = /^ {4}(http\S+\/portal\/sign-in#iku_[\w-]{43})$/m.exec(shown)?.[1] as string;
    expect(setUp).toMatch(new RegExp(`^${first.url}/`));
    // The set-up link comes first, because people begin there.
    expect(shown.indexOf(setUp)).toBeLessThan(shown.indexOf(clientId as string));
    const made = await fetch(`${first.url}/manage/v1/session`, {
      method: 'POST',
      headers: { origin: first.url, 'x-innkeeper-portal': '1' },
      body: JSON.stringify({
        token: setUp.split('#')[1],
        email: 'ada@example.com',
        password: 'seven plums in a paper boat',
      }),
    });
    expect(made.status, await made.text()).toBe(201);
    expect(await readdir(cwd)).toEqual(['data']);
    first.signal('SIGINT');
    expect(await first.exited).toEqual({ code: 0, signal: null });
    // No log lines between the text for the reader.
    expect(first.stderr()).toBe('');
    expect(first.stdout()).not.toContain('{"level"');

    const second = await serve({ args: ['--demo'], cwd });
    await vi.waitFor(() => expect(second.stdout()).toContain('Ctrl+C'), { timeout: 30_000 });
    expect(second.stdout()).toContain(second.url);
    expect(second.stdout()).not.toContain(clientSecret);
    expect(second.stdout()).not.toMatch(/clientSecret\s+\S{20,}/);
    expect(curlLines(second.stdout())).toEqual([]);
    expect(second.stdout()).not.toContain('/portal/sign-in#');
    expect(second.stdout()).toContain('/portal\n');
    const { stdout } = await run(process.execPath, [BIN, 'app', 'list', '--json'], {
      cwd,
      env: { PATH: process.env.PATH },
    });
    expect(stdout.match(/"clientId"/g)).toHaveLength(1);
    expect(stdout).toContain(clientId);
    second.signal('SIGTERM');
    expect(await second.exited).toEqual({ code: 0, signal: null });
  });

  it('creates one demo application when several start concurrently', async () => {
    const cwd = await mkdtemp(join(inject('scratchFolder'), 'demo-'));
    const servers = await Promise.all([1, 2, 3].map(() => serve({ args: ['--demo'], cwd })));
    await vi.waitFor(() => {
      for (const server of servers) expect(server.stdout()).toContain('Ctrl+C');
    }, 30_000);
    expect(servers.filter((server) => curlLines(server.stdout()).length > 0)).toHaveLength(1);
    // Only the start that created the demo shows secrets, although the link is still unused.
    expect(servers.filter((server) => /ink_|iku_/.test(server.stdout()))).toHaveLength(1);
    const { stdout } = await run(process.execPath, [BIN, 'app', 'list', '--json'], {
      cwd,
      env: { PATH: process.env.PATH },
    });
    expect(stdout.match(/"clientId"/g)).toHaveLength(1);
  });
});
