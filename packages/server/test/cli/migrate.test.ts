import { describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

describe.each(databases)('innkeeper migrate on $kind', ({ kind, empty }) => {
  test('--check reports and changes nothing; migrate runs pending migrations once', async () => {
    const url = await empty();
    const [cli, processes] = [commandLine(url, inThread), commandLine(url)];
    const first = await cli.run('migrate', '--check', '--json');
    const second = await cli.run('migrate', '--check');
    const state = JSON.parse(first.stdout);
    expect(first.code).toBe(1);
    expect(state).toEqual({ applied: 0, latest: expect.any(Number), pending: state.latest, ran: 0 });
    expect(second).toMatchObject({ code: 1, stdout: expect.stringMatching(/pending in .*Run: innkeeper migrate/) });

    const runs = await Promise.all([processes.json('migrate'), processes.json('migrate')]);
    for (const run of runs) expect(run).toMatchObject({ applied: state.latest, latest: state.latest, pending: 0 });
    const again = await cli.run('migrate');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing to do: .* is up to date\.\n$/) });
    expect(await cli.json('migrate', '--check')).toMatchObject({ pending: 0, ran: 0 });
  });

  test('--distribute reports what is missing and changes nothing', async () => {
    const url = await empty();
    const cli = commandLine(url, inThread);
    await cli.run('migrate');
    const missing =
      kind === 'sqlite'
        ? /SQLite is one file.*innkeeper restore FILE/s
        : /extension Citus\. Nothing was changed.*citus_add_node/s;
    expect(await cli.run('migrate', '--distribute')).toMatchObject({ code: 1, stderr: expect.stringMatching(missing) });
    expect(await cli.run('migrate', '--distribute', '--check')).toMatchObject({ code: 2 });
    expect(await cli.run('migrate', '--distribute', '--url', 'http://127.0.0.1:1')).toMatchObject({ code: 2 });
    expect(await cli.json('migrate', '--check')).toMatchObject({ pending: 0, ran: 0 });
  });
});
