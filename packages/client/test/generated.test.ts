import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the types match docs/openapi.json: `npm run docs` writes them', async () => {
  const folder = join(import.meta.dirname, '..');
  const command = join(folder, 'node_modules/openapi-typescript/bin/cli.js');
  const flags = ['../../docs/openapi.json', '--output', 'src/generated.ts', '--check'];
  // The script fails if they differ.
  await expect(promisify(execFile)(process.execPath, [command, ...flags], { cwd: folder })).resolves.toBeDefined();
});
