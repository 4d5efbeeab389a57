import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalog, type Scalar } from '../../src/domain/catalog/catalog.ts';
import type { CatalogDefinition } from '../../src/domain/catalog/definition.ts';
import { parseCatalogFile } from '../../src/domain/catalog/parse-file.ts';
import { publishCatalog } from '../../src/domain/catalog/publish.ts';
import { finish } from '../../src/domain/slices.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { application as applicationExample, createUser } from '../contract/examples.ts';
import { databases } from '../databases.ts';
import { SECRET } from '../http/start.ts';
import { CATALOG, catalogFolder } from './catalog-file.ts';
import { inThread } from './in-thread.ts';
import { commandLine, runInnkeeper } from './run-innkeeper.ts';

const { folder, save, original } = catalogFolder();

describe.each(databases)('innkeeper catalog on $kind', ({ kind, fresh }) => {
  let databaseUrl: string;
  let cli: ReturnType<typeof commandLine>;
  let storage: Storage;

  beforeAll(async () => {
    databaseUrl = await fresh();
    cli = commandLine(databaseUrl, inThread);
    await cli.json('migrate');
    storage = await (await storageDriver(databaseUrl)).open();
  });
  afterAll(() => storage?.close());

  /** Created directly, because commands take longer. */
  async function application(text?: string) {
    const example = applicationExample({ name: 'Acme' });
    await storage.applications.create(example);
    const parsed = text === undefined ? undefined : parseCatalogFile(text);
    if (parsed && 'definition' in parsed) await publish(example.appId, parsed.definition);
    return example;
  }

  async function publish(appId: number, definition: CatalogDefinition): Promise<void> {
    const options = { author: 'test', now: Date.now(), allowBreaking: true };
    expect(await publishCatalog(storage, appId, definition, options)).toMatchObject({ outcome: 'published' });
  }

  async function select(appId: number, path: string, ...values: (Scalar | Scalar[])[]): Promise<void> {
    const catalog = finish(readCatalog(await storage.catalogs.load(appId)));
    const [group, name] = path.split('/');
    const key = catalog.groups.find((each) => each.name === group)?.keys.find((each) => each.name === name);
    for (const value of values) {
      const { userId } = await createUser(storage, appId);
      const selection = { selectionId: randomUUID(), keyNo: key?.keyNo as number, revision: catalog.revision };
      await storage.selections.save(appId, userId, [{ ...selection, value: JSON.stringify(value), language: null }], {
        at: Date.now(),
        authMethod: 'user_uid',
      });
    }
  }

  test('plan, apply, plan, export, plan: 2, 0, 0, 0, 0', async () => {
    const { clientId } = await application();
    const planned = await cli.run('catalog', 'plan', original, '--app', clientId);
    expect(planned).toMatchObject({ code: 2, stderr: '' });
    expect(planned.stdout).toBe(`Plan for Acme (revision 0):

  + language English
      tag en, the default
  + language Español
      tag es
  + group notifications
  + key notifications/newsletter
      boolean; default false
  + key notifications/colour
      string, 1 to 2 values; values "blue", "red"
  + key notifications/ratio
      number; values 1, 1.5, 2
  + key notifications/volume
      integer; max 10, min 0

Not translated:
  Español   3 of 7   notifications/colour, notifications/ratio, notifications/volume

7 added, none breaking.
`);

    const applied = await cli.run('catalog', 'apply', original, '--app', clientId);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toMatch(/\nPublished revision 1\. Changes apply within a second\.\n$/);
    const again = await cli.run('catalog', 'apply', original, '--app', clientId);
    expect(again).toMatchObject({ code: 0, stdout: 'No changes: the catalog is already up to date (revision 1).\n' });

    const [yaml, json] = await Promise.all(
      ['yaml', 'json'].map((format) => cli.run('catalog', 'export', '--app', clientId, '--format', format)),
    );
    expect(yaml?.stdout).toContain('\n# yaml-language-server: $schema=catalog.schema.json\n');
    expect(yaml?.stdout).toContain('          - { value: blue, translations: { English: Blue, Español: Azul } }\n');
    const files = [save(`${kind}.yaml`, yaml?.stdout ?? ''), save(`${kind}.json`, json?.stdout ?? ''), original];
    for (const ending of await Promise.all(files.map((file) => cli.run('catalog', 'plan', file, '--app', clientId)))) {
      expect(ending).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No changes: .* \(revision 1\)/) });
    }
    expect(await cli.json('catalog', 'export', '--app', clientId)).toEqual(JSON.parse(json?.stdout ?? ''));
  });

  test('harmless changes are counted too, and a rename without a match is reported', async () => {
    const { clientId, appId } = await application(CATALOG);
    await select(appId, 'notifications/colour', ['red'], ['blue', 'red'], ['blue']);
    await select(appId, 'notifications/volume', 10, 3, 9);
    await select(appId, 'notifications/ratio', 1, 2);
    const changed = save(
      `${kind}-counted.yaml`,
      CATALOG.replace('{ value: red,', '{ value: red, retired: true,')
        .replace('Español: Azul }', 'Español: Celeste }')
        .replace('name: ratio', 'name: proportion\n        was: ratio')
        .replace('max: 10', 'max: 11')
        .replace('Boletín', 'Noticias')
        .concat('      - { name: size, was: siez, type: integer }\n  - { name: more, was: les }\n'),
    );
    const planned = await cli.run('catalog', 'plan', changed, '--app', clientId, '--json');
    expect(planned).toMatchObject({ code: 2, stderr: '' });
    const { changes, breaking, notes } = JSON.parse(planned.stdout);
    expect(breaking).toEqual([]);
    expect(changes.map(({ path, selections }: Record<string, unknown>) => [path, selections])).toEqual([
      ['notifications/newsletter', 0],
      ['notifications/colour', 3],
      ['notifications/proportion', 2],
      ['notifications/volume', 3],
      ['notifications/size', undefined],
      ['more', undefined],
    ]);
    expect(notes).toEqual([
      { path: 'notifications/size', text: 'was siez: no key had that name here, so this one is new' },
      { path: 'more', text: 'was les: no group had that name here, so this one is new' },
    ]);
    const retired = save(`${kind}-retired.yaml`, CATALOG.replace('{ value: red,', '{ value: red, retired: true,'));
    const readable = await cli.run('catalog', 'plan', retired, '--app', clientId);
    expect(readable.stdout).toContain('  ~ key notifications/colour: affects 2 saved selections\n');
    const reported = await cli.run('catalog', 'apply', changed, '--app', clientId);
    expect(reported.stdout).toMatch(/Please check:\n {2}\? notifications\/size +was siez: no key had that name here/);
    const { items } = await storage.catalogs.revisions(appId, { offset: 0, limit: 1 });
    expect(items[0]?.difference, 'what a revision keeps').not.toContain('selections');
    expect((await cli.run('catalog', 'plan', changed, '--app', clientId)).code, 'the file may stay as it is').toBe(0);
  });

  test('migrate replaces a value in all selections, with a count before; invalid input is rejected', async () => {
    const { clientId, appId } = await application(CATALOG);
    await select(appId, 'notifications/colour', ['red'], ['blue', 'red'], ['blue']);
    const migrate = (...more: string[]) => {
      const key = ['--app', clientId, '--key', 'notifications.colour'];
      return cli.run('catalog', 'migrate', ...key, '--from', 'red', '--to', 'blue', ...more);
    };
    const counted = { key: 'notifications.colour', from: 'red', to: 'blue', planned: 2 };
    expect(JSON.parse((await migrate('--dry-run', '--json')).stdout)).toEqual({
      ...counted,
      migrated: 0,
      remaining: 2,
    });
    expect(await migrate()).toMatchObject({ code: 0, stdout: expect.stringContaining('changed 2 selections.') });
    expect(JSON.parse((await migrate('--json')).stdout)).toMatchObject({ planned: 0, migrated: 0, remaining: 0 });
    for (const [more, code, message] of [
      [['--to', 'green'], 2, '--to is not a value of this key.'],
      [['--key', 'notifications.nothing'], 1, 'there is no option key "notifications.nothing".'],
    ] as const) {
      expect(await migrate(...more)).toMatchObject({ code, stderr: expect.stringContaining(message) });
    }
  });

  test('breaking changes are counted, rejected, and published when allowed', async () => {
    const { clientId, appId } = await application(CATALOG);
    await select(appId, 'notifications/colour', ['red'], ['blue', 'red'], ['blue']);
    await select(appId, 'notifications/volume', 10, 3, 9);
    await select(appId, 'notifications/newsletter', true, false);
    const changed = save(
      `${kind}-breaking.yaml`,
      CATALOG.replace(/ +- { value: red.*\n/, '')
        .replace('max: 10', 'max: 9')
        .replace(/ +- name: newsletter(\n {8}.*)+\n/, '')
        .replace('name: ratio', 'name: proportion\n        was: ratio')
        .replace('Notificaciones', 'Avisos'),
    );

    const planned = await cli.run('catalog', 'plan', changed, '--app', clientId, '--json');
    expect(planned).toMatchObject({ code: 3, stderr: '' });
    const removed = { what: 'valueRemoved', value: 'red' };
    const narrowed = { what: 'constraint', from: { min: 0, max: 10 }, to: { min: 0, max: 9 } };
    expect(JSON.parse(planned.stdout)).toEqual({
      revision: 1,
      changes: [
        {
          kind: 'changed',
          subject: 'group',
          path: 'notifications',
          details: ['Español: "Notificaciones" → "Avisos"'],
          facts: [{ what: 'text', language: 'Español', from: 'Notificaciones', to: 'Avisos' }],
        },
        {
          kind: 'changed',
          subject: 'key',
          path: 'notifications/colour',
          details: ['value removed: "red"'],
          facts: [removed],
          selections: 2,
        },
        {
          kind: 'renamed',
          subject: 'key',
          path: 'notifications/proportion',
          details: ['was ratio'],
          facts: [{ what: 'name', from: 'ratio', to: 'proportion' }],
          selections: 0,
        },
        {
          kind: 'changed',
          subject: 'key',
          path: 'notifications/volume',
          details: ['constraint: max 10, min 0 → max 9, min 0'],
          facts: [narrowed],
          selections: 1,
        },
        {
          kind: 'archived',
          subject: 'key',
          path: 'notifications/newsletter',
          details: ['can no longer be chosen'],
          facts: [{ what: 'notOffered' }],
          selections: 2,
        },
      ],
      notes: [],
      breaking: [
        { path: 'notifications/colour', text: 'value removed: "red"', fact: removed, selections: 2 },
        {
          path: 'notifications/volume',
          text: 'constraint: max 10, min 0 → max 9, min 0',
          fact: narrowed,
          selections: 1,
        },
        {
          path: 'notifications/newsletter',
          text: 'can no longer be chosen',
          fact: { what: 'notOffered' },
          selections: 2,
        },
      ],
      missing: [
        {
          language: 'Español',
          total: 5,
          count: 3,
          missing: ['notifications/colour', 'notifications/proportion', 'notifications/volume'],
        },
      ],
    });
    const readable = await cli.run('catalog', 'plan', changed, '--app', clientId);
    expect(readable.code).toBe(3);
    expect(readable.stdout).toContain(
      '  > key notifications/proportion: affects no saved selections\n      was ratio\n',
    );
    expect(readable.stdout).toContain('  - key notifications/newsletter: affects 2 saved selections\n');
    expect(readable.stdout).toMatch(
      /\n {2}! notifications\/colour: +value removed: "red" \(affects 2 saved selections\)\n/,
    );
    expect(readable.stdout).toMatch(/3 changed, 1 renamed, 1 archived, 3 breaking\.\n$/);

    const refused = await cli.run('catalog', 'apply', changed, '--app', clientId);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('nothing was changed: 3 changes would break saved selections.');
    expect(refused.stderr).toContain('notifications/colour: value removed: "red" (2 selections)');
    expect(refused.stderr).toContain('  > key notifications/proportion');
    expect(refused.stderr).toContain('Add --allow-breaking');
    expect((await storage.catalogs.load(appId)).revision).toBe(1);

    const before = finish(readCatalog(await storage.catalogs.load(appId)));
    const applied = await cli.json('catalog', 'apply', changed, '--app', clientId, '--allow-breaking');
    expect(applied).toMatchObject({ revision: 2, published: true, breaking: [{}, {}, {}] });
    const after = finish(readCatalog(await storage.catalogs.load(appId)));
    const uid = (catalog: typeof before, name: string) =>
      catalog.groups[0]?.keys.find((key) => key.name === name)?.keyUid;
    expect(uid(after, 'proportion')).toBe(uid(before, 'ratio'));
    expect(after.groups[0]?.keys.find(({ name }) => name === 'newsletter')).toMatchObject({ archived: true });

    const restored = await cli.json('catalog', 'restore', '1', '--app', clientId, '--allow-breaking');
    expect(restored).toMatchObject({ revision: 3, published: true });
    const back = finish(readCatalog(await storage.catalogs.load(appId)));
    expect({ ...back, revision: 1 }).toEqual(before);
  });

  test('archiving an unused key breaks nothing', async () => {
    const { clientId } = await application(CATALOG);
    const file = save(`${kind}-less.yaml`, CATALOG.slice(0, CATALOG.indexOf('      - name: ratio')));
    const settings = { INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET, FORCE_COLOR: '1' };
    const planned = await runInnkeeper(['catalog', 'plan', file, '--app', clientId], settings);
    expect(planned.code).toBe(2);
    expect(planned.stdout).toContain('\u001b[31m-\u001b[39m key \u001b[1mnotifications/ratio\u001b[22m');
    expect((await cli.run('catalog', 'apply', file, '--app', clientId)).code).toBe(0);
  });

  test('revisions, show and diff show who published what', async () => {
    const { clientId } = await application(CATALOG);
    await cli.json('catalog', 'apply', save(`${kind}-2.yaml`, CATALOG.replace('Azul', 'Celeste')), '--app', clientId);
    const author = `cli:${userInfo().username}`;
    const change = {
      kind: 'changed',
      subject: 'key',
      path: 'notifications/colour',
      details: ['"blue" in Español: "Azul" → "Celeste"'],
      facts: [{ what: 'text', value: 'blue', language: 'Español', from: 'Azul', to: 'Celeste' }],
    };
    const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const [revisions, shown, diff, none, table] = await Promise.all([
      cli.json('catalog', 'revisions', '--app', clientId, '--limit', '1'),
      cli.json('catalog', 'show', '2', '--app', clientId),
      cli.json('catalog', 'diff', '1', '--app', clientId),
      cli.run('catalog', 'diff', '2', '2', '--app', clientId),
      cli.run('catalog', 'revisions', '--app', clientId),
    ]);
    expect(revisions).toEqual({
      total: 2,
      items: [{ revision: 2, createdAt, author, authors: [author], changes: [change] }],
    });
    expect(shown).toEqual({ revision: 2, createdAt, author, authors: [author], changes: [change] });
    expect(diff).toEqual({ from: 1, to: 2, changes: [change] });
    expect(none.stdout).toBe('Revisions 2 and 2 are identical.\n');
    expect(table.stdout).toMatch(
      /^REVISION +PUBLISHED \(UTC\) +BY +SUMMARY\n2 .*notifications\/colour changed\n1 .*and 4 more\n$/,
    );
    const unknown = await cli.run('catalog', 'show', '3', '--app', clientId);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no revision 3') });
  });

  test('texts are exported and imported as CSV and XLIFF', async () => {
    const { clientId } = await application(CATALOG);
    const exported = (...more: string[]) => cli.run('catalog', 'export', '--app', clientId, ...more);
    const [csv, xliff] = await Promise.all([
      exported('--format', 'csv'),
      exported('--format', 'xliff', '--language', 'es'),
    ]);
    expect(csv.stdout).toContain(`\ufeffpath (${clientId}@1),source,English,Español\r\nnotifications,notifications,,`);
    expect(xliff.stdout).toContain('srcLang="en" trgLang="es"');

    const unchanged = save(`${kind}.csv`, csv.stdout);
    const same = await cli.run('catalog', 'import-translations', unchanged, '--app', clientId);
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });

    const translated = save(`${kind}.xlf`, xliff.stdout.replace('>Azul<', '>Celeste &amp; más<'));
    const imported = await cli.json('catalog', 'import-translations', translated, '--app', clientId);
    expect(imported).toMatchObject({
      revision: 2,
      changes: [{ path: 'notifications/colour', details: ['"blue" in Español: "Azul" → "Celeste & más"'] }],
    });

    // The CSV is from revision 1, so only the text that has changed since is a conflict.
    const edited = save(`${kind}-edited.csv`, csv.stdout.replace('Azul', 'Marino').replace('Boletín', "'=Boletín"));
    const conflict = await cli.run('catalog', 'import-translations', edited, '--app', clientId);
    expect(conflict).toMatchObject({ code: 1, stdout: '' });
    expect(conflict.stderr).toContain(
      `${edited}:5 notifications/colour=blue in Español: the file has "Marino", the catalog "Celeste & más"`,
    );
    const merged = await cli.json('catalog', 'import-translations', edited, '--app', clientId, '--prefer', 'catalog');
    expect(merged).toMatchObject({ revision: 3, changes: [{ details: ['Español: "Boletín" → "=Boletín"'] }] });

    const wrong = save(
      `${kind}-wrong.csv`,
      csv.stdout.replace('notifications/ratio', 'notifications/x').replace('Español', 'Deutsch'),
    );
    const refused = await cli.run('catalog', 'import-translations', wrong, '--app', clientId);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${wrong}:2:1 notifications "Deutsch" is not a language of the catalog`);

    const base = await cli.json(
      'catalog',
      'apply',
      save(`${kind}-3.yaml`, CATALOG.replace('English: Blue', 'English: Navy')),
      '--app',
      clientId,
    );
    expect(base.revision).toBe(4);
    const stale = save(
      `${kind}-stale.xlf`,
      xliff.stdout.replace('>Azul<', '>Añil<').replace(`${clientId}@1`, 'another@1'),
    );
    const outdated = await cli.run('catalog', 'import-translations', stale, '--app', clientId);
    expect(outdated.code).toBe(0);
    expect(outdated.stderr).toContain('notifications/colour=blue in Español: translated from "Blue", now "Navy"');
  });

  test('apply, import-translations and restore store a note with the revision', async () => {
    const { clientId } = await application();
    const app = ['--app', clientId];
    const path = save(`${kind}-noted.yaml`, CATALOG);
    await cli.json('catalog', 'apply', path, ...app, '--note', ' First colours ');
    const texts = (await cli.run('catalog', 'export', ...app, '--format', 'csv')).stdout;
    const translated = save(`${kind}-noted.csv`, texts.replace('Azul', 'Celeste'));
    await cli.json('catalog', 'import-translations', translated, ...app, '--note', 'Marta read it');
    await cli.json('catalog', 'restore', '1', ...app, '--note', '   ');
    const { items } = await cli.json('catalog', 'revisions', ...app);
    expect(items.map(({ note }: { note?: string }) => note)).toEqual([undefined, 'Marta read it', 'First colours']);
    expect((await cli.run('catalog', 'revisions', ...app)).stdout).toMatch(/Marta read it\n1 .* First colours\n$/);
    expect((await cli.run('catalog', 'show', '1', ...app)).stdout).toMatch(/^Revision 1, .*\n\nFirst colours\n\n/);
    const refused = await cli.run('catalog', 'apply', path, ...app, '--note', 'x'.repeat(1001));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('at most 1000 characters') });
  });

  test('review marks the translations of a file, except those changed since', async () => {
    const { clientId, appId } = await application(CATALOG);
    const app = ['--app', clientId];
    const reviewed = async () => (await storage.textStates.list(appId)).filter((each) => each.reviewed).length;
    const exported = (await cli.run('catalog', 'export', ...app, '--format', 'xliff', '--language', 'es')).stdout;
    const path = save(`${kind}-review.xlf`, exported);
    expect(await cli.json('catalog', 'review', path, ...app)).toEqual({ count: 4, changed: [] });
    expect(await reviewed()).toBe(4);
    const withdrawn = await cli.run('catalog', 'review', path, ...app, '--withdraw');
    expect(withdrawn).toMatchObject({ code: 0, stdout: 'Marked 4 texts as not reviewed.\n', stderr: '' });
    expect(await reviewed()).toBe(0);

    const csv = (await cli.run('catalog', 'export', ...app, '--format', 'csv')).stdout;
    const changed = save(`${kind}-changed.yaml`, CATALOG.replace('English: Blue', 'English: Navy'));
    await cli.json('catalog', 'apply', changed, ...app);
    const partly = await cli.run('catalog', 'review', save(`${kind}-review.csv`, csv), ...app);
    expect(partly).toMatchObject({ code: 0, stdout: 'Marked 3 texts as reviewed.\n' });
    expect(partly.stderr).toContain('1 text left out; changed since the export:\n  notifications/colour=blue in es\n');

    const wrong = save(`${kind}-review-wrong.csv`, csv.replace('Español', 'Deutsch'));
    const refused = await cli.run('catalog', 'review', wrong, ...app);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${wrong}:2:1 notifications "Deutsch" is not a language of the catalog`);
    const bare = save(`${kind}-review-bare.csv`, 'path,es\nnotifications,Notificaciones\n');
    expect((await cli.run('catalog', 'review', bare, ...app)).stderr).toContain('has no source text');
  });

  test('types writes a module to stdout or a file, and reports a file that cannot be written', async () => {
    const { clientId } = await application(CATALOG);
    const types = (...more: string[]) => cli.run('catalog', 'types', '--app', clientId, ...more);
    const out = join(folder, `${kind}.ts`);
    const [printed, written, asJson, refused] = await Promise.all([
      types(),
      types('--out', out),
      types('--json'),
      types('--out', folder),
    ]);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout).toContain(
      `colour: { type: 'string'; multiple: true; value: 'blue' | 'red'; retired: never };`,
    );
    expect(written.stdout).toBe(`Wrote revision 1 to ${out}.\n`);
    expect(readFileSync(out, 'utf8')).toBe(printed.stdout);
    expect(JSON.parse(asJson.stdout)).toEqual({ revision: 1, content: printed.stdout });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('is a folder, not a file');
  });

  test('two concurrent applies both succeed, one after the other', async () => {
    const { clientId } = await application(CATALOG);
    const files = ['Uno', 'Dos', 'Tres'].map((text) => save(`${kind}-${text}.yaml`, CATALOG.replace('Azul', text)));
    const applied = await Promise.all(
      files.map((file) => commandLine(databaseUrl).json('catalog', 'apply', file, '--app', clientId)),
    );
    expect(applied.map(({ revision }) => revision).sort()).toEqual([2, 3, 4]);

    const late = await cli.run('catalog', 'apply', original, '--app', clientId, '--if-revision', '3');
    expect(late).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('someone else has published revision 4'),
    });
  });
});
